/**
 * The id of an own file. It derives from the address, so one file is one video in every playlist.
 */
export function fileVideoId(url: string): string {
  const name = fileName(url)
    .toLowerCase()
    .replace(/[^\w.-]+/g, '-')
    .slice(-80)
  return `${name || 'video'}~${fingerprint(url)}`
}

/** A first title from the file's name: `exits-and_rules.webm` → `Exits and rules`. */
export function titleFromFile(url: string): string {
  const titleText = fileName(url)
    .replace(/\.[a-z0-9]{2,5}$/i, '')
    .replace(/[-_+.\s]+/g, ' ')
    .trim()
  return titleText.charAt(0).toUpperCase() + titleText.slice(1)
}

function fileName(url: string): string {
  const path = url.split(/[?#]/)[0] ?? ''
  const lastPart =
    path
      .split('/')
      .filter(part => part !== '')
      .at(-1) ?? ''
  try {
    return decodeURIComponent(lastPart)
  } catch {
    return lastPart
  }
}

/**
 * FNV-1a over UTF-16 units, twice with different starts. 64 bits distinguish the files of one
 * organisation.
 */
function fingerprint(text: string): string {
  return [0x811c9dc5, 0x01000193].map(start => fnv(text, start).toString(36)).join('')
}

function fnv(text: string, start: number): number {
  let hash = start
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
