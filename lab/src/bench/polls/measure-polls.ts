import type { BenchOptions } from '../bench-options.ts'
import type { BenchWorld } from '../bench-world.ts'
import { comparePolls, type PollFigures } from './compare-polls.ts'
import { prepareCommentsPoll, prepareNotificationsPoll, prepareOnlinePoll } from './poll-data.ts'

/** Measures full and unchanged answers of the polled reads. */
export async function measurePolls(
  world: BenchWorld,
  options: BenchOptions & { rounds: number },
): Promise<PollFigures> {
  const polls = [
    await prepareNotificationsPoll(world, options.log),
    await prepareCommentsPoll(world, options.log),
    await prepareOnlinePoll(world, options.log),
  ]
  return comparePolls(world, polls, options)
}
