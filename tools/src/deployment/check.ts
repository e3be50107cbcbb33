// Part of `make check`: Dockerfiles by hadolint, docker-compose.yml by the schema of its specification, and what kustomize
// makes of k8s/ by Kubernetes' own schemas. The rules of this house are tests: tools/test/deployment.
import { join } from 'node:path'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { run } from '../provision/programs.ts'
import { ProvisionError } from '../provision/types.ts'
import { findHadolint, findKustomize, type Tools } from './downloads.ts'
import { buildManifests, kustomizations, operatorKustomization } from './manifests.ts'
import { composeFileOf, composeSchemaProblems, manifestValidator } from './schemas.ts'

export const dockerfiles = ['services/Dockerfile', 'gateway/Dockerfile'] as const

export async function deploymentProblems(tools: Tools): Promise<string[]> {
  const problems: string[] = []
  const hadolint = await findHadolint(tools)
  const linted = await run(hadolint, ['--no-color', ...dockerfiles.map(file => join(projectRoot, file))], {
    limitMs: 60_000,
  })
  if (!linted.ok) problems.push(...(linted.stdout.trim() || linted.words).split('\n'))
  for (const problem of await composeSchemaProblems(composeFileOf(projectRoot), tools))
    problems.push(`docker-compose.yml: ${problem}`)
  const validate = await manifestValidator(tools)
  await findKustomize(tools)
  const folders = [...kustomizations, operatorKustomization]
  const built = await Promise.all(folders.map(folder => buildManifests(projectRoot, folder, tools)))
  for (const [index, manifests] of built.entries())
    for (const manifest of manifests)
      for (const problem of validate(manifest))
        problems.push(`${folders[index]}: ${manifest.kind} ${manifest.metadata.name}: ${problem}`)
  return problems
}

if (import.meta.main) {
  try {
    const problems = await deploymentProblems({ cacheDir: cacheFolder(), log: line => console.error(line) })
    for (const problem of problems) console.error(problem)
    console.log(
      problems.length === 0 ? 'Dockerfiles, Compose file and manifests: no problems' : `${problems.length} problems`,
    )
    process.exitCode = problems.length === 0 ? 0 : 1
  } catch (error) {
    console.error(error instanceof ProvisionError ? error.message : error)
    process.exitCode = 1
  }
}
