import { limits } from '@watchline/contracts/limits'
import { toPersonSnapshot } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import express, { type Router } from 'express'
import { z } from 'zod'
import type { AuthContext } from '../context.ts'

const maxPage = 1_000
const pageQuery = z.object({
  after: z.string().max(64).default(''),
  limit: z.coerce.number().int().min(1).max(maxPage).default(limits.pageDefault),
})

/** For the projections of the other services: everybody by id, page by page, and one person. */
export function internalRoutes({ people }: Pick<AuthContext, 'people'>): Router {
  const router = express.Router()
  router.get('/people', async (req, res) => {
    const query = pageQuery.safeParse(req.query)
    if (!query.success) fail('invalid')
    const page = await people.afterId(query.data.after, query.data.limit)
    res.json(page.map(toPersonSnapshot))
  })
  router.get('/people/:id', async (req, res) => {
    const person = await people.byId(req.params.id)
    if (!person) fail('not_found')
    res.json(toPersonSnapshot(person))
  })
  return router
}
