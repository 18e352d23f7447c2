declare module "*.md" {
  const text: string
  export default text
}
declare module "*.sql" {
  const text: string
  export default text
}
declare module "*.sh" {
  const text: string
  export default text
}
declare module "*.wasm" {
  /** Where this process can read it. */
  const path: string
  export default path
}
