import { expect, test } from '@jest/globals'
import { createKeyedMutex } from '@watchline/kit/core/keyed-mutex'

test('work under one key is done one after the other, in order, also when some of it fails', async () => {
  const turns = createKeyedMutex()
  const log: string[] = []
  const work = (name: string, fails = false) =>
    turns.run('key', async () => {
      log.push(`${name} begins`)
      await new Promise(resolve => setImmediate(resolve))
      log.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const [one, two, three] = await Promise.allSettled([work('one'), work('two', true), work('three')])
  expect([one.status, two.status, three.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
})

test('other keys do not wait, and nobody waits for ever for what hangs', async () => {
  const turns = createKeyedMutex(20)
  void turns.run('key', () => new Promise(() => {}))
  expect(await turns.run('other', async () => 'at once')).toBe('at once')
  expect(await turns.run('key', async () => 'in the end')).toBe('in the end')
})
