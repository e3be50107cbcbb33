import { randomBytes } from 'node:crypto'
import { defaultMailKinds, isRequiredMailKind, type MailKind, mailKind } from '@watchline/contracts/mail'
import { fullScan, retireIndexes } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredChoices {
  _id: string
  /** Only what the person has chosen; other kinds follow the defaults. */
  kinds: Partial<Record<MailKind, boolean>>
  /** Absent or null: the default language. */
  language?: string | null
  /** Absent or null: the organisation's. */
  time_zone?: string | null
  /**
   * The time zone of the last event; absent or null: the organisation's. Earlier versions change
   * only `time_zone`: then the two differ until the job has published it.
   */
  published_time_zone?: string | null
  /** The time in the last event. Absent without one. */
  time_zone_changed_at?: Date
}

/** The choices of a person; undefined for those that they leave to the organisation. */
export interface MailPreferences {
  language: string | undefined
  timeZone: string | undefined
}

interface StoredKey {
  _id: string
  value: string
}

export interface MailChoice {
  kinds?: readonly MailKind[] | undefined
  language?: string | null | undefined
  timeZone?: string | null | undefined
}

export type MailChoices = ReturnType<typeof createMailChoices>

/** The kinds of optional mails that people chose, and the key that signs links and envelope ids. */
export function createMailChoices(connection: Connection) {
  const choicesSchema = new Schema<StoredChoices>(
    {
      ...{ _id: String, kinds: Schema.Types.Mixed, language: String },
      ...{ time_zone: String, published_time_zone: String, time_zone_changed_at: Date },
    },
    { versionKey: false, collection: 'mail_choices', minimize: false },
  )
  // Every minute the job that queues digests looks for time zones, and then for the people of each.
  choicesSchema.index(
    { 'kinds.team_digest': 1, time_zone: 1, _id: 1 },
    { partialFilterExpression: { 'kinds.team_digest': true } },
  )
  retireIndexes(choicesSchema, 'kinds.team_digest_1__id_1')
  const stored = connection.model<StoredChoices>('MailChoices', choicesSchema)
  const keys = connection.model<StoredKey>(
    'MailKey',
    new Schema<StoredKey>({ _id: String, value: String }, { versionKey: false, collection: 'mail_keys' }),
  )

  let signingKey: string | undefined

  async function loadSigningKey(): Promise<string> {
    const newKey = { $setOnInsert: { value: randomBytes(32).toString('base64url') } }
    const create = () =>
      keys.findOneAndUpdate({ _id: 'signing' }, newKey, { upsert: true, returnDocument: 'after' }).lean()
    // Two replicas may insert at once; then the other one's key counts.
    const row = await create().catch(error => {
      if (!isDuplicateKey(error)) throw error
      return create()
    })
    return row!.value
  }

  return {
    /** Those of the people who get this kind by mail. */
    filterRecipients: async (
      personIds: readonly string[],
      kind: MailKind,
      session?: ClientSession,
    ): Promise<string[]> => {
      if (isRequiredMailKind(kind)) return [...personIds]
      const rows = await stored.find({ _id: { $in: [...personIds] } }, null, session ? { session } : {}).lean()
      const choices = new Map(rows.map(row => [row._id, row.kinds[kind]]))
      const isDefault = defaultMailKinds.includes(kind)
      return personIds.filter(id => choices.get(id) ?? isDefault)
    },

    /** The choices of the person for their own data; undefined without one. */
    chosenBy: async (personId: string): Promise<Record<string, unknown> | undefined> => {
      const row = await stored.findById(personId).lean()
      if (!row) return undefined
      const { kinds, language, time_zone } = row
      return { ...kinds, ...(language && { language }), ...(time_zone && { time_zone }) }
    },

    preferencesOf: async (personId: string): Promise<MailPreferences> => {
      const row = await stored.findById(personId).lean()
      return { language: row?.language ?? undefined, timeZone: row?.time_zone ?? undefined }
    },

    /** Without the required kinds. Pages of earlier versions know only the older ones of them. */
    optionalKindsOf: async (personId: string): Promise<MailKind[]> => {
      const row = await stored.findById(personId).lean()
      return mailKind.options.filter(
        kind => !isRequiredMailKind(kind) && (row?.kinds[kind] ?? defaultMailKinds.includes(kind)),
      )
    },

    /**
     * Fields that are undefined stay; null leaves the choice to the organisation. Returns the time
     * of the change if the caller is to publish the time zone; it grows with each change of the
     * person. If two calls for a person without choices are concurrent, one fails with a duplicate
     * key.
     */
    save: async (
      personId: string,
      choices: MailChoice,
      { now, session }: { now: number; session: ClientSession },
    ): Promise<Date | undefined> => {
      const { kinds, language, timeZone } = choices
      const row = await stored.findById(personId, null, { session }).lean()
      const isPublished = timeZone === (row?.time_zone ?? null) && timeZone === (row?.published_time_zone ?? null)
      const changedAt = timeZone !== undefined && !isPublished ? findChangeTime(row, now) : undefined
      const optional = mailKind.options.filter(kind => !isRequiredMailKind(kind))
      const chosen = kinds && Object.fromEntries(optional.map(kind => [kind, kinds.includes(kind)]))
      const changed = {
        ...(chosen && { kinds: chosen }),
        ...(language !== undefined && { language }),
        ...(changedAt && {
          time_zone: timeZone,
          published_time_zone: timeZone,
          time_zone_changed_at: changedAt,
        }),
      }
      if (Object.keys(changed).length === 0) return undefined
      // Earlier versions cannot read a document without kinds.
      const emptyKinds = chosen ? {} : { $setOnInsert: { kinds: {} } }
      await stored.updateOne({ _id: personId }, { $set: changed, ...emptyKinds }, { upsert: true, session })
      return changedAt
    },

    /** People whose time zone was stored by an earlier version, which published no event of it. */
    findUnpublishedTimeZones: async (limit: number): Promise<string[]> => {
      const zoneIn = (path: string) => ({ $ifNull: [path, null] })
      const isUnpublished = { $expr: { $ne: [zoneIn('$time_zone'), zoneIn('$published_time_zone')] } }
      const rows = await stored.find(isUnpublished, { _id: 1 }, fullScan).limit(limit).lean()
      return rows.map(({ _id }) => _id)
    },

    /** Marks the time zone as published; undefined if it is published already. */
    markTimeZonePublished: async (
      personId: string,
      { now, session }: { now: number; session: ClientSession },
    ): Promise<{ timeZone: string | null; changedAt: Date } | undefined> => {
      const row = await stored.findById(personId, null, { session }).lean()
      const timeZone = row?.time_zone ?? null
      if (!row || timeZone === (row.published_time_zone ?? null)) return undefined
      const changedAt = findChangeTime(row, now)
      const published = { published_time_zone: timeZone, time_zone_changed_at: changedAt }
      await stored.updateOne({ _id: personId }, { $set: published }, { session })
      return { timeZone, changedAt }
    },

    unsubscribe: async (personId: string, kind: MailKind): Promise<void> => {
      await stored.updateOne({ _id: personId }, { $set: { [`kinds.${kind}`]: false } }, { upsert: true })
    },

    /** At most `limit` people who chose digests and the time zone (null: none), after an id. */
    digestRecipients: async (timeZone: string | null, after: string, limit: number): Promise<string[]> => {
      const chosen = { 'kinds.team_digest': true, _id: { $gt: after }, time_zone: timeZone }
      const rows = await stored.find(chosen, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean()
      return rows.map(({ _id }) => _id)
    },

    /** The time zones that people with digests chose. */
    digestTimeZones: async (): Promise<string[]> => {
      const zones = await stored.distinct('time_zone', { 'kinds.team_digest': true })
      return zones.filter(zone => typeof zone === 'string')
    },

    /** Created at the first use, the same for all replicas. */
    signingKey: async (): Promise<string> => {
      signingKey ??= await loadSigningKey()
      return signingKey
    },
  }
}

/** Later than the time of the last event, so that consumers apply this change. */
function findChangeTime(row: Pick<StoredChoices, 'time_zone_changed_at'> | null, now: number): Date {
  return new Date(Math.max(now, (row?.time_zone_changed_at?.getTime() ?? 0) + 1))
}
