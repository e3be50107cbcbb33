import type { RiskReason } from '@watchline/contracts/engagement'

/** The names of the reasons why a task is at risk, in the order of urgency. */
export const riskReasonNames: Record<RiskReason, string> = {
  overdue: 'Overdue',
  behind: 'Behind schedule',
  not_started: 'Never started',
}
