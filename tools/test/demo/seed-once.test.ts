import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { seedDemoHistory } from '../../src/demo/history/seed-history.ts'
import { seedOnce } from '../../src/demo/history/seed-once.ts'
import { type DemoDatabases, openDemoDatabases } from './_demo.ts'

let databases: DemoDatabases
let runs: number
beforeEach(() => {
  databases = openDemoDatabases()
  runs = 0
})
afterEach(() => databases.close())

const people = () => databases.database('auth').collection<{ _id: string }>('people')

/** A short history of one person, which may be interrupted after the person is stored. */
const seed = (interrupt = false) =>
  seedOnce({
    ...databases,
    log: () => {},
    play: async () => {
      runs += 1
      await people().insertOne({ _id: `person of run ${runs}` })
      if (interrupt) throw new Error('interrupted')
    },
  })

const listPeople = async () => (await people().find().toArray()).map(({ _id }) => _id)

test('empty databases are filled once', async () => {
  await seed()
  await seed()
  expect(await listPeople()).toEqual(['person of run 1'])
})

test('an interrupted history starts again with empty databases', async () => {
  await expect(seed(true)).rejects.toThrow('interrupted')
  await seed()
  await seed()
  expect(await listPeople()).toEqual(['person of run 2'])
})

test('an interrupted history stays as it is once somebody has signed in', async () => {
  await expect(seed(true)).rejects.toThrow('interrupted')
  await databases.database('auth').collection('sessions').insertOne({})
  await seed()
  expect(await listPeople()).toEqual(['person of run 1'])
})

test('databases with people, from an earlier version for example, stay as they are', async () => {
  await people().insertOne({ _id: 'earlier person' })
  await seed()
  expect(await listPeople()).toEqual(['earlier person'])
})

test('DEMO_HISTORY=false leaves the databases empty, and a wrong value stops the start', async () => {
  const seedWith = (DEMO_HISTORY: string) => seedDemoHistory({ env: { ...databases.env, DEMO_HISTORY }, log: () => {} })
  await seedWith('false')
  expect(await people().countDocuments()).toBe(0)
  await expect(seedWith('sometimes')).rejects.toThrow('DEMO_HISTORY: "sometimes" was given, accepted is true or false')
})
