/** Stands in the user message of a command that the user ran, so that the model knows whose it was. */
export const shellNote = "The user ran a command; the call that follows is theirs, with its output."
