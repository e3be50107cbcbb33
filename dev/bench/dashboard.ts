import type { World } from './world.ts'
import type { Asked } from './writes.ts'

export async function measureDashboard(_world: World, _asked: Asked): Promise<unknown> {
  throw new Error('not yet')
}
