import { reportUnavailable as operation, type Video } from '@watchline/contracts/playlists'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { writeChange } from '../actions/change-playlist.ts'
import { watchable } from '../actions/find-watchable.ts'
import { tellUnavailable } from '../actions/publish-unavailable.ts'
import type { PlaybackContext } from '../context.ts'
import { isConfirmed } from '../rules/unavailable.ts'
import type { Playlist } from '../store/playlists.ts'

export const reportUnavailable = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const known = videoOf(await watchable(ctx, person, params.id), params.videoId)
  // Asked before the transaction, which must not wait for it.
  const goneByYoutube = known.provider === 'youtube' && !known.unavailable && (await isGone(ctx, known.id))
  const finding = { ...params, person, code: body.code, goneByYoutube }
  const note = () => ctx.outbox.transaction(tx => noteFinding(ctx, tx, finding))
  const unavailable = await note().catch(error => {
    // Somebody else was the first in the same moment.
    if (isDuplicateKey(error)) return note()
    throw error
  })
  ctx.playlists.cached.forget(params.id)
  return { success: true as const, unavailable }
})

interface Finding {
  id: string
  videoId: string
  person: Person
  code: number
  goneByYoutube: boolean
}

/** Whether the video is left out by now. */
async function noteFinding(ctx: PlaybackContext, tx: Transaction, finding: Finding): Promise<boolean> {
  const { id, videoId, person, code, goneByYoutube } = finding
  const playlist = (await ctx.playlists.byIds([id], tx.session))[0] ?? fail('not_found')
  const video = videoOf(playlist, videoId)
  if (video.unavailable) return true

  const before = await ctx.unavailableReports.of(id, videoId, tx.session)
  const people = new Set([...before.map(each => each.personId), person.id])
  if (people.size > before.length) {
    const report = { personId: person.id, code, at: new Date(ctx.clock.now()) }
    await ctx.unavailableReports.add(id, videoId, report, tx.session)
  }
  if (isConfirmed({ people, reporter: person, goneByYoutube })) {
    const videos = playlist.videos.map(each => (each.id === videoId ? { ...each, unavailable: true } : each))
    await writeChange(ctx, tx, playlist, { videos }, person.id)
    return true
  }
  if (before.length === 0) tellUnavailable(tx, playlist, video, { personId: person.id, confirmed: false })
  return false
}

function videoOf(playlist: Playlist, videoId: string): Video {
  return playlist.videos.find(each => each.id === videoId) ?? fail('not_found')
}

/** Whether YouTube says that the video cannot be played here. When it cannot be asked, it has not said so. */
async function isGone(ctx: PlaybackContext, videoId: string): Promise<boolean> {
  if (!ctx.youtube.configured) return false
  return ctx.youtube.plays(videoId).then(
    plays => !plays,
    () => false,
  )
}
