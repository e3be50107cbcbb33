import { z } from 'zod'

const licence = z.union([
  z.object({ license: z.object({ id: z.string().optional(), name: z.string().optional() }) }),
  z.object({ expression: z.string() }),
])

const component = z.object({
  name: z.string(),
  version: z.string(),
  purl: z.string(),
  licenses: z.array(licence).default([]),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
})
type Component = z.infer<typeof component>

const billOfMaterials = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  components: z.array(component),
})
export type BillOfMaterials = z.infer<typeof billOfMaterials>

/** Throws a ZodError if the text is no CycloneDX bill of materials. */
export function parseBill(text: string): BillOfMaterials {
  return billOfMaterials.parse(JSON.parse(text))
}

/** The packages by licence as a Markdown page. Watchline's own packages are left out. */
export function listLicences({ components }: BillOfMaterials): string {
  const others = components.filter(({ purl }) => !purl.startsWith('pkg:npm/%40watchline/'))
  const byLicence = [...Map.groupBy(others, licenceOf)].sort(([a], [b]) => a.localeCompare(b, 'en'))
  const sections = byLicence.map(([name, packages]) => {
    const rows = packages.map(row).sort((a, b) => a.localeCompare(b, 'en'))
    return `## ${name} (${packages.length})\n\n${[...new Set(rows)].join('\n')}\n`
  })
  return `# Licences of the installed packages\n\n${sections.join('\n')}`
}

export function licenceOf({ licenses }: Component): string {
  const names = licenses.map(entry =>
    'expression' in entry ? entry.expression : (entry.license.id ?? entry.license.name),
  )
  return names.filter(Boolean).join(' AND ') || 'not declared'
}

function row({ name, version, purl, properties }: Component): string {
  const isDevelopment = properties.some(property => property.name === 'cdx:npm:package:development')
  const fullName = decodeURIComponent(/^pkg:npm\/(.*)@/.exec(purl)?.[1] ?? name)
  return `- ${fullName} ${version}${isDevelopment ? ' (development only)' : ''}`
}
