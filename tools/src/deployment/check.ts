// Part of `make check`. hadolint checks the Dockerfiles. Schemas of Compose, Kubernetes and KEDA
// check docker-compose.yml and the manifests that kustomize builds from k8s/. tools/test/deployment
// tests further rules.
import { join } from 'node:path'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { run } from '../provision/programs.ts'
import { ProvisionError } from '../provision/types.ts'
import { type DownloadOptions, findHadolint, findKustomize } from './downloads.ts'
import { imagesWithoutDigest } from './image-digests.ts'
import { buildManifests, kustomizations, operatorKustomization } from './manifests.ts'
import { composeFileOf, composeSchemaProblems, manifestValidator } from './schemas.ts'

export const dockerfiles = ['services/Dockerfile', 'gateway/Dockerfile'] as const

export async function deploymentProblems(options: DownloadOptions): Promise<string[]> {
  const problems: string[] = []
  const hadolint = await findHadolint(options)
  const linted = await run(hadolint, ['--no-color', ...dockerfiles.map(file => join(projectRoot, file))], {
    limitMs: 5 * 60_000,
  })
  if (!linted.ok) problems.push(...(linted.stdout.trim() || linted.lastLines).split('\n'))
  for (const problem of await composeSchemaProblems(composeFileOf(projectRoot), options))
    problems.push(`docker-compose.yml: ${problem}`)
  const validate = await manifestValidator(options)
  await findKustomize(options)
  const folders = [...kustomizations, operatorKustomization]
  const built = await Promise.all(folders.map(folder => buildManifests(projectRoot, folder, options)))
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
    const unpinned = imagesWithoutDigest(projectRoot)
    if (unpinned.length > 0)
      console.error(
        `Warning: only their tags name these images: ${unpinned.join(', ')}. Pin them: npm run image-digests`,
      )
    console.log(
      problems.length === 0 ? 'Dockerfiles, Compose file and manifests: no problems' : `${problems.length} problems`,
    )
    process.exitCode = problems.length === 0 ? 0 : 1
  } catch (error) {
    console.error(error instanceof ProvisionError ? error.message : error)
    process.exitCode = 1
  }
}
