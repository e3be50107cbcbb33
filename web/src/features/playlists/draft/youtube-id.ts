const idPattern = /^[\w-]{11}$/
const hosts = new Set(['youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtube-nocookie.com'])
const pathsWithId = new Set(['shorts', 'embed', 'live', 'v', 'e'])

/** Parses a video id or any usual YouTube address into the id. undefined for other text. */
export function parseYoutubeId(text: string): string | undefined {
  const input = text.trim()
  if (idPattern.test(input)) return input
  const url = parseAddress(input)
  if (!url) return undefined
  const host = url.hostname.replace(/^www\./, '')
  const [firstPart, secondPart] = url.pathname.split('/').filter(part => part !== '')
  if (host === 'youtu.be') return validId(firstPart)
  if (!hosts.has(host)) return undefined
  if (firstPart === 'watch') return validId(url.searchParams.get('v'))
  return firstPart !== undefined && pathsWithId.has(firstPart) ? validId(secondPart) : undefined
}

function validId(id: string | null | undefined): string | undefined {
  return id && idPattern.test(id) ? id : undefined
}

function parseAddress(text: string): URL | undefined {
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
  if (!URL.canParse(withScheme)) return undefined
  const url = new URL(withScheme)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
}
