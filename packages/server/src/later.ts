import type { Method } from "@cairn/schema/operation/define"

interface Missing {
  readonly id: string
  readonly method: Method
  readonly path: string
}

const missing = (id: string, method: Method, path: string): Missing => ({ id, method, path })

/** Operations of the original that do not exist here yet: they answer 501. One goes when its row comes. */
export const later: readonly Missing[] = [
  missing("experimental.controlPlane.moveSession", "POST", "/experimental/control-plane/move-session"),
  missing("global.upgrade", "POST", "/global/upgrade"),
  missing("experimental.console.listOrgs", "GET", "/experimental/console/orgs"),
  missing("experimental.console.switchOrg", "POST", "/experimental/console/switch"),
  missing("tool.list", "GET", "/experimental/tool"),
  missing("tool.ids", "GET", "/experimental/tool/ids"),
  missing("worktree.list", "GET", "/experimental/worktree"),
  missing("worktree.create", "POST", "/experimental/worktree"),
  missing("worktree.remove", "DELETE", "/experimental/worktree"),
  missing("worktree.reset", "POST", "/experimental/worktree/reset"),
  missing("experimental.session.list", "GET", "/experimental/session"),
  missing("experimental.session.background", "POST", "/experimental/session/{sessionID}/background"),
  missing("vcs.apply", "POST", "/vcs/apply"),
  missing("mcp.add", "POST", "/mcp"),
  missing("mcp.auth.start", "POST", "/mcp/{name}/auth"),
  missing("mcp.auth.remove", "DELETE", "/mcp/{name}/auth"),
  missing("mcp.auth.callback", "POST", "/mcp/{name}/auth/callback"),
  missing("mcp.auth.authenticate", "POST", "/mcp/{name}/auth/authenticate"),
  missing("mcp.connect", "POST", "/mcp/{name}/connect"),
  missing("mcp.disconnect", "POST", "/mcp/{name}/disconnect"),
  missing("project.initGit", "POST", "/project/git/init"),
  missing("experimental.projectCopy.generateName", "POST", "/experimental/project/{projectID}/copy/generate-name"),
  missing("pty.shells", "GET", "/pty/shells"),
  missing("pty.list", "GET", "/pty"),
  missing("pty.create", "POST", "/pty"),
  missing("pty.get", "GET", "/pty/{ptyID}"),
  missing("pty.update", "PUT", "/pty/{ptyID}"),
  missing("pty.remove", "DELETE", "/pty/{ptyID}"),
  missing("pty.connectToken", "POST", "/pty/{ptyID}/connect-token"),
  missing("provider.oauth.authorize", "POST", "/provider/{providerID}/oauth/authorize"),
  missing("provider.oauth.callback", "POST", "/provider/{providerID}/oauth/callback"),
  missing("session.init", "POST", "/session/{sessionID}/init"),
  missing("session.share", "POST", "/session/{sessionID}/share"),
  missing("session.unshare", "DELETE", "/session/{sessionID}/share"),
  missing("session.command", "POST", "/session/{sessionID}/command"),
  missing("sync.start", "POST", "/sync/start"),
  missing("sync.replay", "POST", "/sync/replay"),
  missing("sync.steal", "POST", "/sync/steal"),
  missing("sync.history.list", "POST", "/sync/history"),
  missing("experimental.workspace.adapter.list", "GET", "/experimental/workspace/adapter"),
  missing("experimental.workspace.create", "POST", "/experimental/workspace"),
  missing("experimental.workspace.syncList", "POST", "/experimental/workspace/sync-list"),
  missing("experimental.workspace.remove", "DELETE", "/experimental/workspace/{id}"),
  missing("experimental.workspace.warp", "POST", "/experimental/workspace/warp"),
  missing("v2.projectCopy.create", "POST", "/experimental/project/{projectID}/copy"),
  missing("v2.projectCopy.remove", "DELETE", "/experimental/project/{projectID}/copy"),
  missing("v2.projectCopy.refresh", "POST", "/experimental/project/{projectID}/copy/refresh"),
  missing("pty.connect", "GET", "/pty/{ptyID}/connect"),
]
