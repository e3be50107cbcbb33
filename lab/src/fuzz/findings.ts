import { z } from 'zod'

/** A check of Schemathesis that an answer failed. */
export interface Finding {
  /** Method and path, for instance `POST /comments`. */
  operation: string
  /** The name of the check, for instance `not_a_server_error`. */
  check: string
  message: string
  /** The request, as one line. */
  request: string
  /** Null without an answer. */
  status: number | null
}

const failure = z.object({ title: z.string().default(''), message: z.string().default('') })
const encodedBody = z.object({ $base64: z.string() }).nullish()

/** A scenario without a request has neither checks nor interactions. */
const scenarioFinished = z.object({
  ScenarioFinished: z.object({
    recorder: z.object({
      label: z.string(),
      checks: z
        .record(
          z.string(),
          z.array(
            z.object({
              name: z.string(),
              status: z.string(),
              failure_info: z.object({ failure }).nullish(),
            }),
          ),
        )
        .default({}),
      interactions: z
        .record(
          z.string(),
          z.object({
            request: z.object({ method: z.string(), uri: z.string(), body: encodedBody }),
            response: z.object({ status_code: z.number() }).nullish(),
          }),
        )
        .default({}),
    }),
  }),
})

/**
 * The failed checks of a report, which has one JSON event a line. An unfinished line is left out.
 */
export function readFindings(report: string): Finding[] {
  const finishedLines = report.split('\n').slice(0, -1)
  return finishedLines.flatMap(line => {
    if (!line.startsWith('{"ScenarioFinished"')) return []
    const { recorder } = scenarioFinished.parse(JSON.parse(line)).ScenarioFinished
    return Object.entries(recorder.checks).flatMap(([caseId, checks]) =>
      checks
        .filter(({ status }) => status === 'failure')
        .map(({ name, failure_info }): Finding => {
          const interaction = recorder.interactions[caseId]
          const { title, message } = failure_info?.failure ?? { title: '', message: '' }
          return {
            operation: recorder.label,
            check: name,
            message: `${title}: ${message}`,
            request: interaction ? describeRequest(interaction.request) : 'unknown',
            status: interaction?.response?.status_code ?? null,
          }
        }),
    )
  })
}

function describeRequest({ method, uri, body }: { method: string; uri: string; body?: z.infer<typeof encodedBody> }) {
  const text = body ? Buffer.from(body.$base64, 'base64').toString('utf8') : ''
  return `${method} ${uri} ${text.slice(0, 500)}`.trim()
}

interface Acceptance {
  operation?: string
  check: string
  message?: RegExp
  status?: number
  reason: string
}

/** Findings that are no fault. Each has its reason. */
const acceptances: readonly Acceptance[] = [
  {
    check: 'positive_data_acceptance',
    reason: 'a schema cannot say that a video is in a playlist, a cursor was issued, or a person is in a team',
  },
  {
    check: 'negative_data_rejection',
    message: /`(watchline_access|X-XSRF-TOKEN)`/,
    reason: 'the run sends the session with every call, also where Schemathesis believes that it left it out',
  },
  {
    check: 'negative_data_rejection',
    status: 413,
    reason: 'a body above the limit is refused before it is read; Schemathesis does not count 413 as a refusal',
  },
  {
    check: 'negative_data_rejection',
    status: 431,
    reason: 'headers and addresses above the limit are refused before they are read, as a body is',
  },
  {
    check: 'status_code_conformance',
    status: 431,
    reason: 'for the same reason; no operation answers with it',
  },
  {
    check: 'negative_data_rejection',
    message: /query: violates `additionalProperties`/,
    reason: 'unknown parameters of a query are ignored, so that pages of a later version can send more',
  },
  {
    check: 'ignored_auth',
    reason:
      'the run sends the session with every call; tools/test/system/rights checks every operation without a session',
  },
  {
    check: 'not_a_server_error',
    operation: 'POST /notifications/mail/test',
    status: 503,
    reason: 'the demo has no mail server, and the answer says so',
  },
  {
    check: 'not_a_server_error',
    operation: 'POST /notifications/mail/admin-invitation',
    status: 503,
    reason: 'for the same reason',
  },
]

export function isFault(finding: Finding): boolean {
  return !acceptances.some(
    ({ operation, check, message, status }) =>
      check === finding.check &&
      (operation === undefined || operation === finding.operation) &&
      (status === undefined || status === finding.status) &&
      (message === undefined || message.test(finding.message)),
  )
}
