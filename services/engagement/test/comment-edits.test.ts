import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Comment } from '@watchline/contracts/engagement'
import { eventually } from '@watchline/testing/harness'
import { type Name, setUpComments } from './_comments.ts'
import { collectionOf } from './_util.ts'

const comments = setUpComments()
const { caller, addComment, findComment, publishReview } = comments
const edit = (name: Name, id: string, comment: string, revision = 1) =>
  caller(name).put(`/comments/${id}`, { comment, revision })
const hide = (name: Name, id: string, hidden = true) => caller(name).put(`/comments/${id}/hidden`, { hidden })
const review = (comment: Comment, approved: boolean, revision?: number) =>
  publishReview(comment, { approved, ...(revision !== undefined && { comment_revision: revision }) })

describe('an edit', () => {
  test('changes the text for everybody, in the next revision, and publishes it', async () => {
    const { id } = await addComment()
    const { status, json } = await edit('trainee1', id, '  Better said ')
    expect([status, json.comment]).toEqual([
      200,
      expect.objectContaining({ comment: 'Better said', revision: 2, edited_at: expect.any(String), may_edit: true }),
    ])
    expect(await findComment('supervisor', id)).toMatchObject({ comment: 'Better said', revision: 2 })
    await eventually(() =>
      expect(comments.world.of('comment.edited')).toContainEqual({
        comment_id: id,
        person_id: comments.people.trainee1.id,
        playlist_id: comments.playlistId,
        video_id: 'v0',
        timestamp: 5,
        text: 'Better said',
        revision: 2,
        playlist_title: 'Safety',
        video_title: 'Video 0',
      }),
    )
  })

  test('of concurrent edits wins once; the others get 409, and no text is mixed', async () => {
    const { id } = await addComment()
    const texts = ['one', 'two', 'three', 'four']
    const answers = await Promise.all(texts.map(text => edit('trainee1', id, text)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const winner = texts[answers.findIndex(({ status }) => status === 200)]
    expect(answers.find(({ status }) => status === 409)!.json.code).toBe('edited_elsewhere')
    expect(await findComment('trainee1', id)).toMatchObject({ comment: winner, revision: 2 })
  })

  test('repeated is harmless, also after the answer to it', async () => {
    const comment = await addComment()
    expect((await edit('trainee1', comment.id, 'Again')).status).toBe(200)
    expect((await edit('trainee1', comment.id, 'Again')).json.comment.revision).toBe(2)
    await review(comment, true, 2)
    expect((await edit('trainee1', comment.id, 'Again')).json.comment.revision).toBe(2)
  })

  test('of a reviewed comment is refused', async () => {
    const comment = await addComment()
    expect((await findComment('trainee1', comment.id))!.may_edit).toBe(true)
    await review(comment, true)
    const answer = await edit('trainee1', comment.id, 'Too late')
    expect([answer.status, answer.json.code]).toEqual([409, 'already_reviewed'])
    const found = await findComment('trainee1', comment.id)
    expect(found).toMatchObject({ comment: comment.comment, may_delete: true })
    expect(found).not.toHaveProperty('may_edit')
  })

  test('wins over a review of the earlier text; a review of the new text applies', async () => {
    const comment = await addComment()
    await edit('trainee1', comment.id, 'Meanwhile')
    await review(comment, false)
    expect(await findComment('trainee2', comment.id)).not.toHaveProperty('review')
    await review(comment, true, 2)
    expect(await findComment('trainee2', comment.id)).toMatchObject({ review: { approved: true } })
  })

  test('racing with a review leaves the reviewed text or an unreviewed one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const comment = await addComment()
      const [answer] = await Promise.all([edit('trainee1', comment.id, 'Raced'), review(comment, true)])
      const found = (await findComment('trainee1', comment.id))!
      if (answer.status === 200) expect([found.comment, found.review]).toEqual(['Raced', undefined])
      else expect([answer.status, found.comment, found.review?.approved]).toEqual([409, comment.comment, true])
    }
  })

  test('replaces the text of a comment that was stored before revisions existed', async () => {
    const { id } = await addComment()
    const stored = await collectionOf(comments.world, 'comments').findOne({ _id: id })
    expect(stored).not.toHaveProperty('revision')
    expect((await edit('trainee1', id, 'Old, and changed')).status).toBe(200)
  })

  test.each<[string, Record<string, unknown>]>([
    ['blank', { comment: '  ', revision: 1 }],
    ['too long', { comment: 'x'.repeat(2_001), revision: 1 }],
    ['without a revision', { comment: 'x' }],
    ['revision zero', { comment: 'x', revision: 0 }],
    ['a query operator', { comment: { $ne: '' }, revision: 1 }],
  ])('is refused: %s', async (_, body) => {
    const comment = await addComment()
    expect((await caller('trainee1').put(`/comments/${comment.id}`, body)).status).toBe(422)
    expect(await findComment('trainee1', comment.id)).toEqual(comment)
  })

  test('and a deletion are for the author only', async () => {
    const comment = await addComment()
    for (const name of ['trainee2', 'supervisor', 'director', 'admin'] as const) {
      expect((await edit(name, comment.id, 'Mine now')).status).toBe(404)
      expect((await caller(name).delete(`/comments/${comment.id}`)).status).toBe(404)
    }
    expect(await findComment('trainee1', comment.id)).toEqual(comment)
    expect((await edit('trainee1', 'unknown', 'Where?')).status).toBe(404)
    expect((await caller('trainee1').delete('/comments/unknown')).status).toBe(404)
  })
})

describe('a deletion', () => {
  test('removes the comment and its text for everybody, once', async () => {
    const client_id = randomUUID()
    const comment = await addComment('trainee1', { client_id })
    for (let time = 0; time < 2; time += 1)
      expect((await caller('trainee1').delete(`/comments/${comment.id}`)).json).toEqual({ success: true })
    for (const name of ['trainee1', 'trainee2', 'supervisor', 'admin'] as const)
      expect(await findComment(name, comment.id)).toBeUndefined()
    expect((await collectionOf(comments.world, 'comments').findOne({ _id: comment.id }))!.text).toBe('')
    await eventually(() =>
      expect(comments.world.of('comment.deleted').filter(({ comment_id }) => comment_id === comment.id)).toEqual([
        { comment_id: comment.id, person_id: comments.people.trainee1.id, revision: 1, deleted_at: expect.any(String) },
      ]),
    )
    // A late repeat of the comment does not bring it back, and neither does its review.
    expect((await addComment('trainee1', { client_id })).id).toBe(comment.id)
    await review(comment, true)
    expect(await findComment('trainee1', comment.id)).toBeUndefined()
    expect((await edit('trainee1', comment.id, 'Back')).status).toBe(404)
    expect((await hide('supervisor', comment.id)).status).toBe(404)
  })
})

describe('hiding', () => {
  test('leaves a comment to its author and those above, marked, and can be undone', async () => {
    const { id } = await addComment()
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await hide('supervisor', id)
      expect([status, json.comment.hidden]).toEqual([
        200,
        { user_name: comments.people.supervisor.name, user_role: 'supervisor', hidden_at: expect.any(String) },
      ])
    }
    expect(await findComment('trainee2', id)).toBeUndefined()
    expect(await findComment('trainee1', id)).toMatchObject({ hidden: { user_role: 'supervisor' }, may_delete: true })
    for (const name of ['supervisor', 'manager', 'director', 'admin'] as const)
      expect(await findComment(name, id)).toMatchObject({ hidden: { user_role: 'supervisor' }, may_hide: true })
    expect((await hide('manager', id, false)).json.comment).not.toHaveProperty('hidden')
    expect(await findComment('trainee2', id)).toMatchObject({ id })
  })

  test('is for those who see the author: the supervisor of the team and everybody above', async () => {
    const comment = await addComment()
    for (const name of ['otherSupervisor', 'otherManager'] as const)
      expect((await hide(name, comment.id)).status).toBe(404)
    for (const name of ['trainee1', 'trainee2'] as const) expect((await hide(name, comment.id)).status).toBe(403)
    const own = await addComment('supervisor')
    expect((await hide('supervisor', own.id)).status).toBe(404)
    expect((await hide('supervisor', 'unknown')).status).toBe(404)
    expect((await caller('supervisor').put(`/comments/${comment.id}/hidden`, { hidden: 'yes' })).status).toBe(422)
    expect(await findComment('trainee2', comment.id)).not.toHaveProperty('hidden')
  })

  test('and an edit at the same time both apply', async () => {
    const { id } = await addComment()
    const answers = await Promise.all([edit('trainee1', id, 'Changed'), hide('supervisor', id)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await findComment('trainee1', id)).toMatchObject({ comment: 'Changed', hidden: { user_role: 'supervisor' } })
  })
})
