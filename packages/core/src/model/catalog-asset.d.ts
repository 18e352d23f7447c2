declare module "*.zst" {
  const path: string
  export default path
}
