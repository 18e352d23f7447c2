import type { Rgb } from "./colour.ts"

/** What text needs to be read by most people. */
export const readable = 4.5

/** How much two colours differ in brightness: 1 (not at all) to 21, as the accessibility guidelines reckon it. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((one, other) => other - one)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * The colour, or the one nearest to it on the way to white or black that can be read on this background. The hue stays as
 * far as it can.
 */
export function lifted(colour: Rgb, background: Rgb, wanted: number = readable): Rgb {
  if (contrast(colour, background) >= wanted) return colour
  const white: Rgb = [255, 255, 255]
  const black: Rgb = [0, 0, 0]
  const target = contrast(white, background) >= contrast(black, background) ? white : black
  let [near, far] = [0, 1]
  for (let round = 0; round < 12; round++) {
    const middle = (near + far) / 2
    if (contrast(mixed(colour, target, middle), background) >= wanted) far = middle
    else near = middle
  }
  return mixed(colour, target, far)
}

/** `share` of the second colour, 0 to 1. */
function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  const [red = 0, green = 0, blue = 0] = from.map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share))
  return [red, green, blue]
}

/** Whether text on it is light. */
export function isDark(background: Rgb): boolean {
  return luminance(background) < 0.18
}
