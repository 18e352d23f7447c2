import { z } from "zod"
import { Config } from "../config.ts"
import { Provider, ProviderList } from "../provider.ts"
import { operationGroup } from "./define.ts"

export const configOperations = operationGroup({
  "config.get": {
    method: "GET",
    path: "/config",
    summary: "The config as it holds in the directory, without secrets",
    response: Config,
    reach: "directory",
    changes: false,
  },
  "config.providers": {
    method: "GET",
    path: "/config/providers",
    summary: "Providers that can be called, with their models",
    response: z.object({ providers: z.array(Provider), default: z.record(z.string(), z.string()) }),
    reach: "directory",
    changes: false,
  },
  "provider.list": {
    method: "GET",
    path: "/provider",
    summary: "Every provider; those that can be called have their models",
    response: ProviderList,
    reach: "directory",
    changes: false,
  },
})
