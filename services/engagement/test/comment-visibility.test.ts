import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createDatabase, ensureIndexes, inTransaction, newId, openDatabase } from '@watchline/kit/mongo/database'
import { serverUrl } from '@watchline/testing/harness'
import fc from 'fast-check'
import { type Comment, type CommentViewer, canRead } from '../src/rules/comments.ts'
import { createCommentStore } from '../src/store/comments.ts'

const connection = createDatabase()
const store = createCommentStore(connection, 730 * 24 * 3600)
beforeAll(async () => {
  await openDatabase(connection, serverUrl('MONGO_URL'), `t${randomBytes(5).toString('hex')}-engagement`)
  await ensureIndexes(connection)
})
afterAll(async () => {
  await connection.dropDatabase()
  await connection.close()
})

const people = ['anna', 'ben', 'chris', 'dora'] as const
const everybodyOrSome = fc.option(fc.subarray([...people]), { nil: undefined })

/** Everybody reads their own comments, so `readableAuthors` contains the viewer. */
const viewers = fc
  .record({ personId: fc.constantFrom(...people), others: everybodyOrSome, moderatedAuthors: everybodyOrSome })
  .map(({ personId, others, moderatedAuthors }): CommentViewer => {
    const readableAuthors = others && [...new Set([personId, ...others])]
    return { personId, readableAuthors, moderatedAuthors }
  })

const traits = fc.record({
  author: fc.constantFrom(...people),
  isApproved: fc.option(fc.boolean()),
  isHidden: fc.boolean(),
  isReply: fc.boolean(),
})
type Traits = typeof traits extends fc.Arbitrary<infer T> ? T : never

const act = { personId: 'eve', name: 'Eve', role: 'supervisor' as const, at: new Date(1_000) }

/** A comment with the traits, and another one as the parent of all replies. */
function makeComments(traitsOfAll: readonly Traits[]) {
  const fields = {
    playlistId: newId(),
    videoId: 'v0',
    authorName: 'Somebody',
    authorRole: 'user' as const,
    timestamp: 5,
    text: 'Why?',
    createdAt: new Date(1_000),
    clientId: null,
    revision: 1,
    editedAt: null,
    deletedAt: null,
    parentId: null,
    replyCount: 0,
    review: null,
    hidden: null,
  }
  const parent: Comment = { ...fields, id: newId(), personId: 'eve', replyCount: traitsOfAll.length }
  const comments = traitsOfAll.map(
    ({ author, isApproved, isHidden, isReply }): Comment => ({
      ...fields,
      id: newId(),
      personId: author,
      review: isApproved === null ? null : { ...act, approved: isApproved, text: '' },
      hidden: isHidden ? act : null,
      parentId: isReply ? parent.id : null,
    }),
  )
  return { parent, comments }
}

/** A comment is stored without its review and its hiding, which come later. */
const storeComments = (comments: readonly Comment[]) =>
  inTransaction(connection, async session => {
    for (const comment of comments) {
      await store.add(comment, session)
      if (comment.review) await store.saveReview(comment.id, comment.review, session)
      if (comment.hidden) await store.saveHidden(comment.id, comment.hidden, session)
    }
  })

const idsOf = (comments: readonly Comment[]) => comments.map(({ id }) => id).sort()

test('the lists show the comments and replies that the rule lets the viewer read', async () => {
  const cases = fc.tuple(fc.array(traits, { maxLength: 12 }), fc.array(viewers, { minLength: 1, maxLength: 6 }))
  await fc.assert(
    fc.asyncProperty(cases, async ([traitsOfAll, viewersOfAll]) => {
      const { parent, comments } = makeComments(traitsOfAll)
      await storeComments(comments)
      for (const viewer of viewersOfAll) {
        const page = await store.page(parent, viewer, { limit: comments.length + 1 })
        const replies = await store.repliesTo([parent], viewer)
        const readable = comments.filter(comment => canRead(viewer, comment))
        expect(idsOf(page.comments)).toEqual(idsOf(readable.filter(({ parentId }) => parentId === null)))
        expect(page.total).toBe(page.comments.length)
        expect(idsOf(replies)).toEqual(idsOf(readable.filter(({ parentId }) => parentId === parent.id)))
      }
    }),
    { numRuns: 60 },
  )
})
