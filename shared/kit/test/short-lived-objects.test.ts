import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const address = new URL('../src/process/short-lived-objects.ts', import.meta.url).href

/** Keeps all objects of each burst, and prints how many of the next ones are among the young. */
const program = (before: string) => `
  import { expectShortLivedObjects } from '${address}'
  ${before}
  const make = index => ({ index, inner: { index }, list: [index, index] })
  let young
  for (let burst = 0; burst < 20 && young !== 0; burst += 1) {
    globalThis.kept = []
    for (let index = 0; index < 100_000; index += 1) kept.push(make(index))
    young = 0
    for (let index = 0; index < 100; index += 1) if (%InYoungGeneration(make(index))) young += 1
  }
  console.log(young)`

test.each([
  ['V8 by itself allocates none', '', 0],
  ['with the setting it allocates all', 'expectShortLivedObjects()', 100],
])('after bursts of objects that stay, %s of the next ones among the young', async (_outcome, before, young) => {
  // V8 decides only while the space of young objects has its full size, which is 16 MB.
  const args = ['--min-semi-space-size=16', '--allow-natives-syntax', '--input-type=module', '--eval', program(before)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
  expect(Number(stdout)).toBe(young)
})
