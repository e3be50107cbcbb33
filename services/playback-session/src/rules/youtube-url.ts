/** The id of a YouTube playlist, or a problem in words for the person who entered the URL. */
export type PlaylistUrl = { playlistId: string } | { problem: string }

const notPlaylist = 'This is not a YouTube playlist URL'
const personalList =
  'This is one of your personal lists (such as Watch later or Liked videos), which only you can see. Choose a public or unlisted playlist.'
const mix =
  'This is a YouTube mix, which is put together anew for every viewer. Choose a playlist whose videos somebody chose.'

const siteHosts = new Set(['youtube.com', 'www.youtube.com', 'm.youtube.com', 'music.youtube.com'])
const embedHosts = new Set(['youtube-nocookie.com', 'www.youtube-nocookie.com'])
const shortHosts = new Set(['youtu.be', 'www.youtu.be'])

/**
 * Reads the playlist id from the URL of a playlist, of one of its videos (`watch`, `youtu.be`,
 * `live`, `shorts`) or of an embedded player. Every host of YouTube counts; the scheme may be
 * missing.
 */
export function readPlaylistUrl(text: string): PlaylistUrl {
  const url = parseUrl(text.trim())
  if (!url || !isPlaylistPath(url)) return { problem: notPlaylist }
  const id = url.searchParams.get('list') ?? ''
  if (/^(WL|LL|LM|HL)$/.test(id)) return { problem: personalList }
  if (/^RD/.test(id)) return { problem: mix }
  // Two capitals give the kind: PL made by hand, UU uploads of a channel, OL an album.
  // The id is longer than a video's id of 11 characters.
  return /^[A-Z]{2}[\w-]{10,62}$/.test(id) ? { playlistId: id } : { problem: notPlaylist }
}

function parseUrl(text: string): URL | undefined {
  if (text === '' || /[\s\\]/.test(text)) return undefined
  try {
    const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`)
    return url.username === '' && url.password === '' && url.port === '' ? url : undefined
  } catch {
    return undefined
  }
}

function isPlaylistPath({ hostname, pathname }: URL): boolean {
  if (siteHosts.has(hostname)) return /^\/(playlist|watch|embed\/[\w-]+|live\/[\w-]+|shorts\/[\w-]+)\/?$/.test(pathname)
  if (embedHosts.has(hostname)) return /^\/embed\/[\w-]+\/?$/.test(pathname)
  return shortHosts.has(hostname) && /^\/[\w-]+\/?$/.test(pathname)
}
