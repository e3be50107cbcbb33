/** What the address of a YouTube playlist says, or why it says none, in words for the one who typed it. */
export type PlaylistUrl = { playlistId: string } | { problem: string }

const none = 'This is not a YouTube playlist URL'
const personal =
  'This is one of your personal lists (such as Watch later or Liked videos), which only you can see. Choose a public or unlisted playlist.'
const mix =
  'This is a YouTube mix, which is put together anew for every viewer. Choose a playlist whose videos somebody chose.'

const siteHosts = new Set(['youtube.com', 'www.youtube.com', 'm.youtube.com', 'music.youtube.com'])
const embedHosts = new Set(['youtube-nocookie.com', 'www.youtube-nocookie.com'])
const shortHosts = new Set(['youtu.be', 'www.youtu.be'])

/**
 * Reads the playlist's id from any of the usual addresses: of the playlist, of one of its videos (`watch`, `youtu.be`, `live`,
 * `shorts`) and of an embedded player, on every host of YouTube, with or without a scheme.
 */
export function readPlaylistUrl(given: string): PlaylistUrl {
  const url = parse(given.trim())
  if (!url || !isPlaylistPlace(url)) return { problem: none }
  const id = url.searchParams.get('list') ?? ''
  if (/^(WL|LL|LM|HL)$/.test(id)) return { problem: personal }
  if (/^RD/.test(id)) return { problem: mix }
  // Two capitals say of which kind it is (PL made by hand, UU uploads of a channel, OL albums …), a video's id has 11 characters.
  return /^[A-Z]{2}[\w-]{10,62}$/.test(id) ? { playlistId: id } : { problem: none }
}

function parse(given: string): URL | undefined {
  if (given === '' || /[\s\\]/.test(given)) return undefined
  try {
    const url = new URL(/^https?:\/\//i.test(given) ? given : `https://${given}`)
    return url.username === '' && url.password === '' && url.port === '' ? url : undefined
  } catch {
    return undefined
  }
}

function isPlaylistPlace({ hostname, pathname }: URL): boolean {
  if (siteHosts.has(hostname)) return /^\/(playlist|watch|embed\/[\w-]+|live\/[\w-]+|shorts\/[\w-]+)\/?$/.test(pathname)
  if (embedHosts.has(hostname)) return /^\/embed\/[\w-]+\/?$/.test(pathname)
  return shortHosts.has(hostname) && /^\/[\w-]+\/?$/.test(pathname)
}
