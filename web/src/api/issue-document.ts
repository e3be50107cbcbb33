import { fillPath } from '@watchline/contracts/operation'
import {
  downloadIssued,
  type GroupRecordSelection,
  type Issued,
  issueCertificate,
  issueGroupRecord,
  issueRecord,
  type RecordSelection,
} from '@watchline/contracts/records'
import { type Answer, callOperation } from './call-operation.ts'
import { downloadFile } from './download-file.ts'
import type { Failure } from './failure.ts'

export type DocumentType = 'pdf' | 'json'

/** Issues the signed record of a person, and saves it as a file. Returns the failure, if any. */
export async function downloadRecord(userId: string, selection: RecordSelection, type: DocumentType) {
  return saveIssued(await callOperation(issueRecord, { params: { userId }, body: selection }), type)
}

/** Issues the signed record of a group, and saves it as a file. Returns the failure, if any. */
export async function downloadGroupRecord(groupId: string, selection: GroupRecordSelection, type: DocumentType) {
  return saveIssued(await callOperation(issueGroupRecord, { params: { groupId }, body: selection }), type)
}

/**
 * Issues the certificate of a completed task, and saves it as a PDF. Returns the failure, if any.
 */
export async function downloadCertificate(userId: string, playlistId: string) {
  const body = { playlist_id: playlistId }
  return saveIssued(await callOperation(issueCertificate, { params: { userId }, body }), 'pdf')
}

async function saveIssued(answer: Answer<Issued>, type: DocumentType): Promise<Failure | undefined> {
  if (!answer.ok) return answer
  const { code, kind, number } = answer.data
  const path = fillPath(downloadIssued.path, { code, type })
  return downloadFile(path, `${kind.replace('_', '-')}-${number}.${type}`)
}
