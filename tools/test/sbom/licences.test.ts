import { expect, test } from '@jest/globals'
import { listLicences, parseBill } from '../../src/sbom/licences.ts'

const component = (purl: string, licenses: unknown[], development = false) => ({
  name: purl.split('/').at(-1)!.split('@')[0],
  version: purl.split('@').at(-1),
  purl,
  licenses,
  ...(development && { properties: [{ name: 'cdx:npm:package:development', value: 'true' }] }),
})
const bill = (components: unknown[]) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components })

test('packages are listed by licence, without our own, and those for development are marked', () => {
  const mit = [{ license: { id: 'MIT' } }]
  const page = listLicences(
    parseBill(
      bill([
        component('pkg:npm/zebra@2.0.0', mit),
        component('pkg:npm/%40scope/aardvark@1.0.0', mit, true),
        component('pkg:npm/either@1.0.0', [{ expression: '(MIT OR CC0-1.0)' }]),
        component('pkg:npm/silent@1.0.0', []),
        component('pkg:npm/%40watchline/kit@0.1.0', []),
      ]),
    ),
  )
  expect(page).toContain('## MIT (2)\n\n- @scope/aardvark 1.0.0 (development only)\n- zebra 2.0.0\n')
  expect(page).toContain('## (MIT OR CC0-1.0) (1)')
  expect(page).toContain('## not declared (1)\n\n- silent 1.0.0')
  expect(page).not.toContain('watchline/kit')
})

test('a text that is no bill of materials is refused', () => {
  expect(() => parseBill('{"bomFormat":"SPDX","components":[]}')).toThrow()
})
