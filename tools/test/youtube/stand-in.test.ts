import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { partialResponse } from '../../src/youtube/partial-response.ts'
import { playlistIds } from '../../src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../src/youtube/stand-in.ts'

let youtube: YouTubeStandIn
beforeAll(async () => {
  youtube = await startYouTubeStandIn()
})
afterAll(() => youtube.stop())

async function callApi(call: string, { key = youtube.key, ...query }: Record<string, string>) {
  const response = await fetch(`${youtube.url}/${call}?${new URLSearchParams(query)}`, {
    headers: { 'x-goog-api-key': key },
  })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  const body: any = await response.json()
  return { status: response.status, body, reason: body.error?.errors[0].reason }
}

test('lists a playlist page by page, and shows its public videos', async () => {
  const ids: string[] = []
  let pageToken: string | undefined
  do {
    const query = { part: 'contentDetails', playlistId: playlistIds.long, maxResults: '50' }
    const { body } = await callApi('playlistItems', { ...query, ...(pageToken && { pageToken }) })
    expect(body.pageInfo).toEqual({ totalResults: 120, resultsPerPage: 50 })
    ids.push(...body.items.map((item: { contentDetails: { videoId: string } }) => item.contentDetails.videoId))
    pageToken = body.nextPageToken
  } while (pageToken)
  expect(ids).toHaveLength(120)

  const { body } = await callApi('videos', { part: 'snippet', id: ids.slice(0, 50).join(',') })
  // The private and the deleted video appear only in the playlist.
  expect(body.items).toHaveLength(48)
})

test.each([
  ['an invalid key', 'playlists', { key: 'x', part: 'snippet', id: playlistIds.short }, 400, 'badRequest'],
  ['no key', 'playlists', { key: '', part: 'snippet', id: playlistIds.short }, 403, 'forbidden'],
  ['no part', 'playlists', { id: playlistIds.short }, 400, 'missingRequiredParameter'],
  ['a page too large', 'playlistItems', { part: 'id', playlistId: 'x', maxResults: '51' }, 400, 'invalidParameter'],
  ['an unknown playlist', 'playlistItems', { part: 'id', playlistId: 'x' }, 404, 'playlistNotFound'],
  [
    'a private playlist',
    'playlistItems',
    { part: 'id', playlistId: playlistIds.private },
    403,
    'playlistItemsNotAccessible',
  ],
  ['fifty-one videos', 'videos', { part: 'id', id: Array(51).fill('x').join(',') }, 400, 'invalidFilters'],
  ['malformed fields', 'videos', { part: 'id', id: 'x', fields: 'items(' }, 400, 'invalidParameter'],
] as const)('refuses %s', async (_title, call, query, status, reason) => {
  const answer = await callApi(call, query)
  expect([answer.status, answer.reason]).toEqual([status, reason])
})

test('answers with the selected fields only', () => {
  const whole = { kind: 'k', items: [{ id: 1, a: { b: 2, c: 3 } }, { a: { b: 4 } }], next: 'n' }
  expect(partialResponse(whole, 'next,items(a(b))')).toEqual({ items: [{ a: { b: 2 } }, { a: { b: 4 } }], next: 'n' })
  for (const wrong of ['', 'a(', 'a)', 'a,,b', 'a(b)c']) expect(() => partialResponse(whole, wrong)).toThrow('fields')
})
