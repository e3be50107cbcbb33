import { z } from 'zod'
import { limits } from './limits.ts'

const conditionFields = z.object({
  /** Days after the due date, on the clocks of its time zone, until an open task is overdue. */
  grace_days: z.number().int().min(0).max(limits.graceMaxDays),
  /** The task is completed when each playable video has this share of credited seconds. */
  required_percent: z.number().int().min(limits.requiredPercentMin).max(100),
  /** The highest playback rate that is credited; null for that of the installation. */
  max_rate: z.number().min(1).max(limits.creditedRateMax).nullable(),
  /** Whether the player asks now and then if the person is still watching. */
  attention_checks: z.boolean(),
  /** Whether the person may play parts beyond the first one that they have not watched. */
  allow_skipping: z.boolean(),
})

/**
 * Conditions of a task beside its due date and its recurrence. Tasks, events and stored rows carry
 * null or nothing for the default ones. No field may be a list, because an index of engagement
 * holds them.
 */
export const conditions = conditionFields.extend({
  /** Absent in earlier versions. */
  allow_skipping: conditionFields.shape.allow_skipping.default(true),
})
export type Conditions = z.infer<typeof conditions>

/**
 * Conditions in issued documents. A default would add a field to those of earlier versions, so that
 * their hashes would not match.
 */
export const recordedConditions = conditionFields.extend({ allow_skipping: z.boolean().optional() })
type RecordedConditions = z.infer<typeof recordedConditions>

export const defaultConditions: Conditions = {
  grace_days: 0,
  required_percent: limits.completedRate,
  max_rate: null,
  attention_checks: false,
  allow_skipping: true,
}

/** Absent fields stay as they are, at first the default. */
export const conditionsInput = conditionFields.partial()
export type ConditionsInput = z.infer<typeof conditionsInput>

export function conditionsOf(stored: RecordedConditions | null | undefined): Conditions {
  const { allow_skipping = defaultConditions.allow_skipping, ...fields } = stored ?? defaultConditions
  return { ...defaultConditions, ...fields, allow_skipping }
}

/** Returns null for the default conditions. A grace period ends with the due date. */
export function changeConditions(
  before: Conditions | null,
  input: ConditionsInput | undefined,
  hasDueDate: boolean,
): Conditions | null {
  const changes = Object.entries(input ?? {}).filter(([, value]) => value !== undefined)
  const after: Conditions = { ...conditionsOf(before), ...Object.fromEntries(changes) }
  if (!hasDueDate) after.grace_days = 0
  return isSameConditions(after, null) ? null : after
}

export function isSameConditions(left: Conditions | null, right: Conditions | null): boolean {
  const [a, b] = [conditionsOf(left), conditionsOf(right)]
  const names = Object.keys(defaultConditions) as (keyof Conditions)[]
  return names.every(name => a[name] === b[name])
}

/** The differences from the default, for screens and documents: "95% needed". */
export function describeConditions(stored: RecordedConditions | null | undefined): string[] {
  const { grace_days, required_percent, max_rate, attention_checks, allow_skipping } = conditionsOf(stored)
  return [
    ...(required_percent === defaultConditions.required_percent ? [] : [`${required_percent}% needed`]),
    ...(grace_days === 0 ? [] : [`can be finished up to ${grace_days} ${grace_days === 1 ? 'day' : 'days'} late`]),
    ...(max_rate === null ? [] : [max_rate === 1 ? 'counts at normal speed only' : `counts up to ${max_rate}× speed`]),
    ...(attention_checks ? ['with attention checks'] : []),
    ...(allow_skipping ? [] : ['no skipping ahead']),
  ]
}

/** The share of a video that opens the next one in a task without skipping ahead: percent. */
export function passingPercentOf(requiredPercent: number = defaultConditions.required_percent): number {
  return Math.min(requiredPercent, limits.completedRate)
}
