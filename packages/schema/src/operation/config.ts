import { z } from "zod"
import { Auth } from "../auth.ts"
import { Config } from "../config.ts"
import { Provider, ProviderList } from "../provider.ts"
import { operationGroup } from "./define.ts"

const provider = z.object({ providerID: z.string().min(1).max(200) })

export const configOperations = operationGroup({
  "config.get": {
    method: "GET",
    path: "/config",
    summary: "The config as it holds in the directory, without secrets",
    response: Config,
    reach: "directory",
    changes: false,
  },
  "config.update": {
    method: "PATCH",
    path: "/config",
    summary: "Changes the project's config file; holds as soon as nothing runs in the directory",
    body: Config,
    response: Config,
    reach: "directory",
    changes: true,
  },
  "global.config.get": {
    method: "GET",
    path: "/global/config",
    summary: "The config as it holds in the server's directory, without secrets",
    response: Config,
    reach: "directory",
    changes: false,
  },
  "global.config.update": {
    method: "PATCH",
    path: "/global/config",
    summary: "Changes the user's config file; holds in each directory as soon as nothing runs there",
    body: Config,
    response: Config,
    reach: "directory",
    changes: true,
  },
  "auth.set": {
    method: "PUT",
    path: "/auth/{providerID}",
    summary: "Keeps the key of a provider, or what else reaches it",
    params: provider,
    body: Auth,
    response: z.boolean(),
    reach: "directory",
    changes: true,
  },
  "auth.remove": {
    method: "DELETE",
    path: "/auth/{providerID}",
    summary: "Forgets the key of a provider",
    params: provider,
    response: z.boolean(),
    reach: "directory",
    changes: true,
  },
  "provider.auth": {
    method: "GET",
    path: "/provider/auth",
    summary: "How one can sign in to each provider",
    response: z.record(z.string(), z.array(z.object({ type: z.enum(["oauth", "api"]), label: z.string() }))),
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
