/*
 * `make sbom`: writes sbom/watchline.cdx.json, a CycloneDX bill of materials of all installed
 * packages, and sbom/licences.md, their licences. npm makes the bill from what is installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'
import { run } from '../provision/programs.ts'
import { listLicences, parseBill } from './licences.ts'

const result = await run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--prefix', projectRoot], {
  limitMs: 5 * 60_000,
})
if (!result.ok) {
  console.error(`npm could not make the bill of materials: ${result.lastLines}`)
  process.exit(1)
}
const bill = parseBill(result.stdout)
const folder = join(projectRoot, 'sbom')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'watchline.cdx.json'), result.stdout)
writeFileSync(join(folder, 'licences.md'), listLicences(bill))
console.log(`${bill.components.length} packages: sbom/watchline.cdx.json, sbom/licences.md`)
