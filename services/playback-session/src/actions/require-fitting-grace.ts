import { type ConditionsInput, conditionsOf } from '@watchline/contracts/conditions'
import { fitsGrace, graceTooLong, type RecurrenceInput } from '@watchline/contracts/recurrence'
import { failField } from '@watchline/kit/core/errors'
import type { Terms } from '../rules/assignment.ts'

interface TermsInput {
  recurrence?: RecurrenceInput | null | undefined
  conditions?: ConditionsInput | undefined
}

/**
 * Refuses a recurrence that does not fit the grace period that is stored, and the other way round.
 * The contract checks an input of both. Earlier versions accepted all, and other changes of such
 * terms still work. `path` is where the input has the conditions.
 */
export function requireFittingGrace(
  { recurrence, conditions }: Pick<Terms, 'recurrence' | 'conditions'>,
  input: TermsInput,
  path = 'conditions',
): void {
  const changesOne = Boolean(input.recurrence) !== (input.conditions?.grace_days !== undefined)
  if (changesOne && !fitsGrace(recurrence, conditionsOf(conditions).grace_days))
    failField(`${path}.grace_days`, graceTooLong)
}
