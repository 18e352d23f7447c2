import { version as packageVersion } from "../package.json"

/** The version of this program, as `cairn --version` prints it. */
export const version: string = packageVersion
