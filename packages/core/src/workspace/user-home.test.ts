import { expect, test } from "bun:test"
import { findHome, homeOrRoot } from "./user-home.ts"

const nobody = (): string => {
  throw new Error("ENOENT: no such file or directory, uv_os_homedir")
}

test("HOME, else the list of users, else nothing", () => {
  expect(findHome({ HOME: "/home/a" }, nobody)).toBe("/home/a")
  expect(findHome({ HOME: "" }, () => "/home/b")).toBe("/home/b")
  expect(findHome({}, () => "/home/b")).toBe("/home/b")
  expect(findHome({}, nobody)).toBeUndefined()
  expect(findHome({}, () => "")).toBeUndefined()
})

test("the process's own", () => {
  expect(homeOrRoot()).toBe(findHome() ?? "/")
  expect(homeOrRoot()).toStartWith("/")
})
