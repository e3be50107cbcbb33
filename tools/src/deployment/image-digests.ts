// `npm run image-digests`: pins every image that is pulled by the digest that its tag has now at
// its registry. It needs Docker and the network. Run it again after a change of a tag.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'
import { findProgram, run } from '../provision/programs.ts'

const files = [
  'docker-compose.yml',
  'services/Dockerfile',
  'gateway/Dockerfile',
  'k8s/overlays/small/mongodb.yaml',
  'k8s/overlays/small/rabbitmq.yaml',
  'k8s/overlays/small/redis.yaml',
] as const

/**
 * An image with a tag and perhaps a digest. The images of Watchline itself are built, not pulled.
 */
const pulledImage = /(?<=^\s*(?:image: |FROM ))((?!watchline\/)[\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?/gm

/** The pulled images that a registry could replace, because nothing but their tag names them. */
export function imagesWithoutDigest(root: string): string[] {
  const found = files.flatMap(file => [...readFileSync(join(root, file), 'utf8').matchAll(pulledImage)])
  return [...new Set(found.filter(([, , digest]) => !digest).map(([, image]) => image!))].sort()
}

/** Writes digests into all files, also in place of older ones. */
export async function pinImages(root: string, findDigest: (image: string) => Promise<string>): Promise<string[]> {
  const texts = files.map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const images = new Set(texts.flatMap(({ text }) => [...text.matchAll(pulledImage)].map(([, image]) => image!)))
  const digests = new Map<string, string>()
  // All of them before any file changes.
  for (const image of images) digests.set(image, await findDigest(image))
  for (const { file, text } of texts)
    writeFileSync(
      join(root, file),
      text.replace(pulledImage, (_, image: string) => `${image}@${digests.get(image)}`),
    )
  return [...digests].map(([image, digest]) => `${image}@${digest}`)
}

/** The digest of the list of all platforms, so that a pinned image runs on each of them. */
async function digestAtRegistry(image: string): Promise<string> {
  const docker = findProgram('docker')
  if (!docker) throw new Error('Docker is missing, which asks the registries for the digests.')
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{json .Manifest}}']
  const answer = await run(docker, args, { limitMs: 60_000 })
  if (!answer.ok) throw new Error(`${image}: ${answer.lastLines}`)
  const { digest } = JSON.parse(answer.stdout) as { digest?: unknown }
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`${image}: the registry gave no digest`)
  return digest
}

if (import.meta.main) {
  try {
    for (const pinned of await pinImages(projectRoot, digestAtRegistry)) console.log(pinned)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}
