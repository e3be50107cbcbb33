import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type AuthWorld, startAuth } from './_util.ts'

let auth: AuthWorld
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.stop())

describe('signing in with the development provider', () => {
  test('a first sign-in makes a person with the role user, told once', async () => {
    const answer = await auth.browser().signIn('Ada.Lovelace@Example.org')
    expect(answer.status).toBe(200)
    expect(answer.json.user).toMatchObject({ email: 'ada.lovelace@example.org', name: 'Ada Lovelace', role: 'user' })
    const events = await auth.events(answer.json.user.id)
    expect(events.map(event => event.type)).toEqual(['user.created'])
    expect(events[0]!.data).toMatchObject({ person: { id: answer.json.user.id, version: 1 }, by: null })
  })
})
