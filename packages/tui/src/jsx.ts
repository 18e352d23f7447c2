import { plugin, type OnLoadCallback, type PluginBuilder } from "bun"

interface Loader {
  readonly filter: RegExp
  readonly load: OnLoadCallback
}

let understood = false
let loaders: Promise<readonly Loader[]> | undefined

/**
 * From source: teaches Bun to compile Solid's JSX, and to load the Solid that reacts. Has to be called before the first
 * view is imported; costs nothing until then. In the executable views are compiled already, and the build empties this file.
 */
export function understandJsx(): void {
  if (understood) return
  understood = true
  plugin({
    name: "views",
    setup(build) {
      // The compiler takes a quarter of a second to load, so the first file that needs it loads it.
      const filter = /(?:[\\/]solid-js[\\/](?:store[\\/])?dist[\\/]server\.js|[\\/]packages[\\/]tui[\\/].*\.tsx)$/
      build.onLoad({ filter }, async (args) => {
        loaders ??= solidLoaders()
        const loader = (await loaders).find((candidate) => candidate.filter.test(args.path))
        return loader?.load(args)
      })
    },
  })
}

/** What the plugin of @opentui/solid would register. */
async function solidLoaders(): Promise<readonly Loader[]> {
  const { createSolidTransformPlugin } = await import("@opentui/solid/bun-plugin")
  const found: Loader[] = []
  const collect = {
    onLoad: ({ filter }: { filter: RegExp }, load: OnLoadCallback) => void found.push({ filter, load }),
  }
  await createSolidTransformPlugin().setup(collect as unknown as PluginBuilder)
  return found
}
