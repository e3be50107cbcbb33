import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { named, nameOf, tell } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'

/** Their supervisor learns that some of somebody's reports were not credited, and why. */
export const onIntegrityNoted = defineConsumer('integrity.noted', async ({ event, tx }, ctx: NotificationContext) => {
  const { person_id, playlist_id, video_id, playlist_title, video_title, notes } = event.data
  const person = await named(ctx, person_id)
  await tell(ctx, tx, [person?.supervisorId], {
    kind: 'integrity',
    person: nameOf(person, person_id),
    count: notes.reduce((sum, note) => sum + note.times, 0),
    playlist: { id: playlist_id, title: playlist_title ?? '' },
    video: { id: video_id, title: video_title ?? video_id },
    notes: Object.fromEntries(notes.map(note => [note.code, note.times])),
  })
})
