/** Where a host lies, judged by its name alone: nothing is looked up. */
export type Reach = "loopback" | "private" | "public"

const localSuffix = [".local", ".lan", ".internal", ".home.arpa", ".intranet"]

/** `host` as in `URL.hostname` (IPv6 with or without brackets). A name without a dot is one of the local network. */
export function reachOf(host: string): Reach {
  const name = host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase()
  if (isIPv4(name)) return reachOfV4(name)
  if (isIPv6(name)) return reachOfV6(name)
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback"
  if (!name.includes(".") || localSuffix.some((suffix) => name.endsWith(suffix))) return "private"
  return "public"
}

// Not those of `node:net`: importing it costs every start some 10 ms.
const isIPv4 = (text: string): boolean => {
  const fields = text.split(".")
  return fields.length === 4 && fields.every((field) => /^(0|[1-9]\d{0,2})$/.test(field) && Number(field) < 256)
}
const isIPv6 = (text: string): boolean => text.includes(":") && URL.canParse(`http://[${text}]`)

function reachOfV4(address: string): Reach {
  const [a = 0, b = 0] = address.split(".").map(Number)
  if (a === 127) return "loopback"
  if (a === 0 || a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31)) return "private"
  return (a === 169 && b === 254) || (a === 100 && b >= 64 && b <= 127) ? "private" : "public"
}

function reachOfV6(address: string): Reach {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  if (canonical === "::1") return "loopback"
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped) {
    const high = Number.parseInt(mapped[1] ?? "0", 16)
    const low = Number.parseInt(mapped[2] ?? "0", 16)
    return reachOfV4([high >> 8, high & 255, low >> 8, low & 255].join("."))
  }
  return canonical === "::" || /^f[cd]/.test(canonical) || /^fe[89ab]/.test(canonical) ? "private" : "public"
}
