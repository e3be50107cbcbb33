import { readFileSync } from 'node:fs'

/** Of the program that runs. */
export const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  .version as string
