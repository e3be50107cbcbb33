import {
  type IssuedDocument,
  type IssuedPerson,
  issuedDocument,
  type Verification,
  type WatchingRecord,
} from '@watchline/contracts/records'
import { canonicalJson } from '@watchline/kit/core/canonical-json'
import type { EngagementContext } from '../context.ts'
import { parseStrictJson } from '../rules/record/strict-json.ts'
import type { IssuedRecord } from '../store/issued-records.ts'
import { hashOf, hashText } from './seal-document.ts'

type Deps = Pick<EngagementContext, 'issuedRecords' | 'recordKeys'>

/** Looks a document up by its code, and checks that the stored one is as it was issued. */
export async function verifyCode(deps: Deps, code: string): Promise<Verification> {
  const stored = await deps.issuedRecords.byCode(code)
  if (!stored) return { status: 'unknown' }
  return (await isIntact(deps, stored)) ? describeIssued(stored) : { status: 'changed' }
}

/** Checks the text of a JSON file: its hashes, its signature, and its number in the chain. */
export async function verifyFile(deps: Deps, text: string): Promise<Verification> {
  const value = parseStrictJson(text)
  const parsed = issuedDocument.safeParse(value)
  if (!parsed.success) return { status: isIssuedLike(value) ? 'changed' : 'unknown' }
  // A field that the schema dropped was added after the issue.
  if (canonicalJson(parsed.data) !== canonicalJson(value)) return { status: 'changed' }
  const { record, people, seal, signature } = parsed.data
  const stored = await deps.issuedRecords.byNumber(seal.number)
  const isSigned = await deps.recordKeys.verify(canonicalJson(seal), signature, seal.key_id)
  const isComplete = hashOf(record) === seal.record_sha256 && matchHashes(people, record.people)
  if (!isSigned) return { status: stored ? 'changed' : 'unknown' }
  if (!isComplete) return { status: 'changed' }
  if (!stored || canonicalJson(stored.seal) !== canonicalJson(seal)) return { status: 'removed' }
  return describeIssued({ ...stored, people })
}

/** Each person of the file must be one of the document; some may be left out of a copy. */
function matchHashes(people: readonly IssuedPerson[], hashes: readonly string[]): boolean {
  const documentHashes = new Set(hashes)
  return people.every(person => documentHashes.has(hashOf(person)))
}

function isIssuedLike(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'seal' in value && 'signature' in value
}

async function isIntact({ recordKeys }: Deps, { seal, signature, content, people }: IssuedRecord): Promise<boolean> {
  if (!(await recordKeys.verify(canonicalJson(seal), signature, seal.key_id))) return false
  if (content === null) return true
  return hashText(content) === seal.record_sha256 && matchHashes(people, parseContent(content).people)
}

/** Says only what the holder’s document says. */
function describeIssued({ number, kind, seal, content, people, replacedAt }: IssuedRecord): Verification {
  return {
    status: replacedAt ? 'replaced' : 'valid',
    number,
    kind,
    issued_at: seal.issued_at,
    ...(replacedAt && { replaced_at: replacedAt.toISOString() }),
    ...(content !== null && { details: describeContent(parseContent(content), people) }),
  }
}

function describeContent(
  content: IssuedDocument['record'],
  people: readonly IssuedPerson[],
): NonNullable<Verification['details']> {
  if (content.format === 'watchline.group_record.1') {
    const { group, records, part, period, totals } = content
    return {
      ...{ name: null, group: group.name, members: records.length, period, ...describeTotals(totals) },
      ...(part && { part }),
    }
  }
  const subjectHash = content.people[content.person]
  const name = people.find(person => hashOf(person) === subjectHash)?.name ?? null
  if (content.format === 'watchline.certificate.1') {
    const { title, completed_at, valid_until, credited_seconds } = content
    return { name, title, completed_at, ...(valid_until && { valid_until }), credited_seconds }
  }
  const { period, totals } = content
  return { name, period, ...describeTotals(totals) }
}

function describeTotals({ tasks, credited_seconds, all_attempts }: WatchingRecord['totals']) {
  return {
    ...{ tasks, credited_seconds },
    ...(all_attempts && { credited_with_earlier_attempts: all_attempts.credited_seconds }),
  }
}

/** The content of an issued document, which this service has written. */
export function parseContent(content: string): IssuedDocument['record'] {
  return JSON.parse(content)
}
