import type { ConditionsInput } from '@watchline/contracts/conditions'
import { failField } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import { highestConditionRate } from '../rules/condition-limits.ts'

/**
 * Fails if the conditions name a credited speed above the highest one of this installation, which
 * would promise a credit that nobody gets. Stored conditions stay as they are. `path` is where the
 * input has them.
 */
export function checkCreditedSpeed(
  { maxPlaybackRate }: Pick<PlaybackContext, 'maxPlaybackRate'>,
  conditions: ConditionsInput | undefined,
  path = 'conditions',
): void {
  const highest = highestConditionRate(maxPlaybackRate)
  if ((conditions?.max_rate ?? 0) > highest)
    failField(`${path}.max_rate`, `must be at most ${highest}, the highest speed that is credited here`)
}
