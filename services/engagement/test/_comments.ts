import { afterAll, beforeAll } from '@jest/globals'
import type { Comment } from '@watchline/contracts/engagement'
import type { EventData } from '@watchline/contracts/events'
import { newId } from '@watchline/kit/mongo/database'
import { callAs, createEngagementWorld, createPeople, type EngagementWorld, type PeopleByName } from './_util.ts'

export type Name = keyof PeopleByName

/** Serves a playlist of two videos to three trainees for the tests of one file. */
export function setUpComments() {
  let world: EngagementWorld
  let url: string
  let people: PeopleByName
  let playlistId: string

  beforeAll(async () => {
    world = await createEngagementWorld()
    people = createPeople(world)
    const playlist = world.playlist([100, 100])
    playlistId = playlist.playlist_id
    world.assign(playlist, people.trainee1, people.trainee2, people.trainee3)
    url = (await world.start()).url
  })
  afterAll(() => world.close())

  const caller = (name: Name) => callAs(world, url, people[name])
  const post = (name: Name, fields: Record<string, unknown> = {}) => {
    const comment = `Comment ${newId()}`
    return caller(name).post('/comments', { playlist_id: playlistId, video_id: 'v0', timestamp: 5, comment, ...fields })
  }

  return {
    get world() {
      return world
    },
    get people() {
      return people
    },
    get playlistId() {
      return playlistId
    },
    caller,
    /** Adds a comment to the first video, or what the fields say. */
    post,
    addComment: async (name: Name = 'trainee1', fields: Record<string, unknown> = {}): Promise<Comment> =>
      (await post(name, fields)).json.comment,
    /** The comment on the first video as the person's list shows it. */
    findComment: async (name: Name, id: string): Promise<Comment | undefined> => {
      const { json } = await caller(name).get(`/comments/${playlistId}/v0?limit=500`)
      return json.find((comment: Comment) => comment.id === id)
    },
    /** The supervisor answers the comment. */
    publishReview: (
      { id }: Pick<Comment, 'id'>,
      review: Pick<EventData<'notification.reviewed'>, 'approved'> & Partial<EventData<'notification.reviewed'>>,
      options: { id?: string } = {},
    ) =>
      world.publish(
        'notification.reviewed',
        { notification_id: newId(), by: people.supervisor.id, words: 'Seen', comment_id: id, ...review },
        options,
      ),
  }
}
