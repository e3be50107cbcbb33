import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

/** Notifies the supervisor of notes: reports that were not credited, or a missed check. */
export const onIntegrityNoted = defineConsumer('integrity.noted', async ({ event, tx }, ctx: NotificationContext) => {
  const { person_id, playlist_id, video_id, playlist_title, video_title, notes } = event.data
  const person = await ctx.people.find(person_id, 0)
  await notifyRecipients(ctx, tx, [person?.supervisorId], {
    kind: 'integrity',
    person: namePerson(person_id, person),
    count: notes.reduce((sum, note) => sum + note.times, 0),
    playlist: { id: playlist_id, title: playlist_title ?? '' },
    video: { id: video_id, title: video_title ?? video_id },
    notes: Object.fromEntries(notes.map(note => [note.code, note.times])),
  })
})
