import { err, ok, type Result } from "@cairn/kernel/result"
import { directoryOf } from "./directory.ts"
import { type Failure, failureOf, notFound } from "./failure.ts"
import type { InstanceLease, Instances } from "./instances.ts"

interface Place {
  readonly instances: Instances
  /** The directory of a request that names none. */
  readonly directory: string
  readonly sessionID: string | undefined
}

/**
 * The engine that a call goes to: of the directory that it names, or the server's own. A session is always worked on in its
 * own directory, also when the call names another one of the same project. A session of another project is unknown there.
 */
export async function pickEngine(request: Request, place: Place): Promise<Result<InstanceLease, Failure>> {
  const named = directoryOf(request)
  if (!named.ok) return named
  const opened = await place.instances.open(named.value ?? place.directory)
  if (!opened.ok) return err(failureOf(opened.error))
  const lease = opened.value
  const session = place.sessionID === undefined ? undefined : lease.engine.session(place.sessionID)
  if (!session || session.directory === lease.engine.directory) return ok(lease)
  if (named.value !== undefined && !(await lease.engine.isOfProject(session))) {
    lease[Symbol.dispose]()
    return err(notFound(`There is no session ${session.id} in the project of ${named.value}.`))
  }
  const own = await place.instances.open(session.directory)
  // Its directory is gone: the one that was named takes care of it.
  if (!own.ok) return ok(lease)
  lease[Symbol.dispose]()
  return ok(own.value)
}
