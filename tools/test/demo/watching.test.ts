import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { answerAttentionCheck, track } from '@watchline/contracts/engagement'
import type { CallAs } from '../../src/demo/history/simulation.ts'
import { createSimulatedClock, createTimeline } from '../../src/demo/history/timeline.ts'
import { addViewing } from '../../src/demo/history/watching.ts'
import { playlists } from '../../src/demo/playlists.ts'

test('a person of the demo answers every attention check', async () => {
  const asked: string[] = []
  const answered: unknown[] = []
  const call = (async (_account, operation, input) => {
    if (operation.name === answerAttentionCheck.name) answered.push(input)
    if (operation.name !== track.name || asked.length === 2) return {}
    const id = randomUUID()
    asked.push(id)
    return { attention_check: { id } }
  }) as CallAs
  const timeline = createTimeline()
  const viewing = { account: 'trainee2', playlist: playlists.refresher, playlistId: () => 'list', startsAt: 0 }
  addViewing(timeline, call, { ...viewing, way: 'full' })
  await timeline.play(createSimulatedClock(0), async () => {})
  expect(asked).toHaveLength(2)
  expect(answered).toEqual(asked.map(id => ({ params: { id }, body: { action: 'answer' } })))
})
