import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Caller, callAs, collectionOf, createEngagementWorld, type EngagementWorld } from './_util.ts'

let world: EngagementWorld
let director: Caller

/** The row that a version without ordered numbers stored. */
async function storeWithOldKey({ id, ...person }: ReturnType<EngagementWorld['addPerson']>) {
  const row = { _id: id, ...person, name_key: person.name.toLowerCase() }
  await collectionOf(world, 'people').replaceOne({ _id: id as never }, row, { upsert: true })
}

beforeAll(async () => {
  world = await createEngagementWorld()
  for (const number of [10, 9, 100, 1]) await storeWithOldKey(world.addPerson('user', { name: `Trainee ${number}` }))
  const { url } = await world.start()
  director = callAs(world, url, world.addPerson('director'))
})
afterAll(() => world.close())

async function readNames(query = ''): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const page = await director.get(`/engagement/team?limit=1${query}${cursor ? `&cursor=${cursor}` : ''}`)
    names.push(...page.json.members.map((member: { name: string }) => member.name))
    cursor = page.headers.get('x-next-cursor')
  } while (cursor && names.length < 20)
  return names
}

test('the start gives stored people the order of the numbers in their names', async () => {
  expect(await readNames()).toEqual(['Trainee 1', 'Trainee 9', 'Trainee 10', 'Trainee 100'])
  expect(await readNames('&search=e%201')).toEqual(['Trainee 1', 'Trainee 10', 'Trainee 100'])
})

test('pages neither repeat nor skip a person whom an older replica stored meanwhile', async () => {
  await storeWithOldKey(world.addPerson('user', { name: 'Trainee 7' }))
  const names = await readNames()
  expect(names.toSorted()).toEqual(['Trainee 1', 'Trainee 10', 'Trainee 100', 'Trainee 7', 'Trainee 9'])
  expect(await readNames('&search=trainee%207')).toEqual(['Trainee 7'])
})
