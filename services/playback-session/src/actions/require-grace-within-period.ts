import { type ConditionsInput, conditionsOf } from '@watchline/contracts/conditions'
import { fitsGrace, graceTooLong, type RecurrenceInput } from '@watchline/contracts/recurrence'
import { failField } from '@watchline/kit/core/errors'
import type { Terms } from '../rules/assignment.ts'

interface TermsInput {
  recurrence?: RecurrenceInput | null | undefined
  conditions?: ConditionsInput | undefined
}

/**
 * Refuses a grace period that lasts until the task opens again. If the input has both the grace
 * period and the recurrence, the contract has compared them; this compares one with the stored
 * other. Earlier versions accepted all, so changes of other terms still work. `path` is where the
 * input has the conditions.
 */
export function requireGraceWithinPeriod(
  { recurrence, conditions }: Pick<Terms, 'recurrence' | 'conditions'>,
  input: TermsInput,
  path = 'conditions',
): void {
  const changesOne = Boolean(input.recurrence) !== (input.conditions?.grace_days !== undefined)
  if (changesOne && !fitsGrace(recurrence, conditionsOf(conditions).grace_days))
    failField(`${path}.grace_days`, graceTooLong)
}
