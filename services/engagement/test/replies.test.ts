import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Comment } from '@watchline/contracts/engagement'
import { eventually } from '@watchline/testing/harness'
import { type Name, setUpComments } from './_comments.ts'

const comments = setUpComments()
const { caller, post, addComment, findComment, publishReview } = comments
const reply = (name: Name, { id }: Comment, fields: Record<string, unknown> = {}) =>
  post(name, { reply_to: id, timestamp: 0, comment: 'Because.', ...fields })
const find = (name: Name, { id }: Comment) => findComment(name, id)

describe('a reply', () => {
  test('stands under its comment, at its second, with name and role', async () => {
    const comment = await addComment()
    const { status, json } = await reply('supervisor', comment)
    expect([status, json.comment.timestamp]).toEqual([200, 5])
    for (const name of ['trainee1', 'trainee2', 'manager', 'admin'] as const)
      expect((await find(name, comment))!.replies).toMatchObject([
        { comment: 'Because.', user_name: comments.people.supervisor.name, user_role: 'supervisor' },
      ])
    const list = await caller('trainee1').get(`/comments/${comments.playlistId}/v0`)
    expect(list.json.map(({ id }: Comment) => id)).not.toContain(json.comment.id)
    expect(list.headers.get('x-total-count')).toBe(String(list.json.length))
    await eventually(() =>
      expect(comments.world.of('comment.added')).toContainEqual(
        expect.objectContaining({
          comment_id: json.comment.id,
          reply_to: { comment_id: comment.id, person_id: comments.people.trainee1.id },
        }),
      ),
    )
  })

  test('to a reply is refused, and so is one to a comment that its author cannot see', async () => {
    const comment = await addComment()
    const { json } = await reply('supervisor', comment)
    const nested = await reply('trainee1', json.comment)
    expect([nested.status, nested.json.errors[0].path]).toEqual([422, 'reply_to'])
    expect((await reply('trainee3', comment)).status).toBe(404)
    expect((await reply('supervisor', { id: 'unknown' } as Comment)).status).toBe(404)
    expect((await reply('supervisor', comment, { video_id: 'v1' })).status).toBe(404)
    expect((await find('trainee1', comment))!.replies).toHaveLength(1)
  })

  test('is refused under a rejected, hidden or deleted comment', async () => {
    const rejected = await addComment()
    await publishReview(rejected, { approved: false })
    expect((await reply('trainee1', rejected)).status).toBe(409)
    expect((await reply('trainee2', rejected)).status).toBe(404)
    const hidden = await addComment()
    await caller('supervisor').put(`/comments/${hidden.id}/hidden`, { hidden: true })
    expect((await reply('supervisor', hidden)).status).toBe(409)
    expect((await reply('trainee2', hidden)).status).toBe(404)
    const deleted = await addComment()
    await caller('trainee1').delete(`/comments/${deleted.id}`)
    expect((await reply('supervisor', deleted)).status).toBe(409)
  })

  test('ends the editing of its comment; of both at once, one wins', async () => {
    const comment = await addComment()
    await reply('trainee2', comment)
    const edit = (id: string) => caller('trainee1').put(`/comments/${id}`, { comment: 'Changed', revision: 1 })
    expect((await edit(comment.id)).json.code).toBe('already_reviewed')
    for (let round = 0; round < 5; round += 1) {
      const raced = await addComment()
      const [edited, replied] = await Promise.all([edit(raced.id), reply('trainee2', raced)])
      expect(replied.status).toBe(200)
      const found = (await find('trainee1', raced))!
      expect([found.comment, found.replies!.length]).toEqual([edited.status === 200 ? 'Changed' : raced.comment, 1])
      if (edited.status !== 200) expect(edited.json.code).toBe('already_reviewed')
    }
  })

  test('repeated under one client id is stored and counted once', async () => {
    const comment = await addComment()
    const fields = { client_id: randomUUID() }
    const answers = await Promise.all([1, 2, 3].map(() => reply('trainee2', comment, fields)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const [only] = (await find('trainee1', comment))!.replies!
    await caller('trainee2').delete(`/comments/${only!.id}`)
    expect(await find('trainee1', comment)).toMatchObject({ may_edit: true })
    expect(await find('trainee1', comment)).not.toHaveProperty('replies')
  })

  test('stays under a deleted comment, whose text is gone', async () => {
    const comment = await addComment()
    const { json } = await reply('trainee2', comment)
    await caller('trainee1').delete(`/comments/${comment.id}`)
    expect(await find('supervisor', comment)).toMatchObject({
      comment: 'This comment was deleted.',
      deleted: true,
      replies: [{ comment: 'Because.' }],
    })
    await caller('trainee2').delete(`/comments/${json.comment.id}`)
    expect(await find('supervisor', comment)).toBeUndefined()
  })

  test('that is rejected or hidden is no longer shown to others', async () => {
    const comment = await addComment()
    const first = (await reply('trainee2', comment)).json.comment
    const second = (await reply('trainee2', comment)).json.comment
    await publishReview(first, { approved: false })
    await caller('supervisor').put(`/comments/${second.id}/hidden`, { hidden: true })
    expect(await find('trainee1', comment)).not.toHaveProperty('replies')
    expect((await find('trainee2', comment))!.replies).toHaveLength(2)
  })
})
