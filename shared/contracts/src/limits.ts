/**
 * Every limit and timer of the product, for server and client. Times and sizes end in their unit:
 * `Ms` is milliseconds, `S` is seconds, `Bytes` is bytes. `Length` is in characters.
 * `completedRate`, `completionGreen`, `completionYellow` and `requiredPercentMin` are percent,
 * `creditedRateMax` is a playback rate, and `paceFromShare` is a share from 0 to 1. All others are
 * counts. Source: the product's specification, section 9, for the values that it fixes (supervisor
 * capacity, password length, completion, player timers, polling, screens); all others are design
 * decisions.
 */
export const limits = {
  // people
  passwordMinLength: 8,
  passwordMaxLength: 200,
  nameMaxLength: 120,
  emailMaxLength: 254,
  /** Larger pictures of people are not shown. */
  pictureMaxBytes: 1_048_576,
  supervisorCapacity: 10,
  sessionIdTtlMs: 60_000,
  accessTokenTtlS: 600,
  /**
   * A signed address of an own file is valid for at most this long. It must not exceed the lifetime
   * of access tokens.
   */
  mediaAddressS: 600,
  /**
   * After its expiry the address still opens its file for this long, while an expired access token
   * waits for its renewal.
   */
  mediaAddressGraceS: 60,
  /**
   * A revocation is kept for this long. Until then an access token or the address of a file from
   * before it may count, so this is the lifetime of both and the grace.
   */
  revocationS: 660,
  /** With one more sign-in the oldest session ends. */
  sessionsPerPerson: 20,
  /**
   * Two tabs may send the same refresh token. For this long the second one gets the new token too.
   */
  refreshGraceMs: 30_000,
  /**
   * Attempts with a password of one account from one network, or from one browser that has signed
   * in before. The first ones need no wait; then each wait is twice as long as the one before.
   */
  loginFreeAttempts: 5,
  loginFirstWaitMs: 1_000,
  loginLongestWaitMs: 15 * 60_000,
  /** The waits begin again after this long without an attempt. */
  loginWaitForgottenMs: 24 * 3_600_000,
  /** The bound of one network for all accounts, and of one account for all networks. */
  loginAttemptsPerNetwork: 50,
  loginAttemptsPerAccount: 100,
  /** The same for second factors. */
  secondStepAttemptsPerAccount: 20,
  loginAttemptsWindowMs: 15 * 60_000,
  /** An invitation to become an administrator is valid for this long. */
  adminInvitationTtlMs: 72 * 3600_000,
  invitationTokenMaxLength: 100,
  /** After the password, an administrator has this long for the second step of the sign-in. */
  secondStepTtlMs: 5 * 60_000,
  /**
   * An administrator with a second factor may change second factors only this long after the
   * sign-in.
   */
  freshSignInMs: 10 * 60_000,
  secondFactorsPerPerson: 10,
  factorNameMaxLength: 60,
  recoveryCodes: 10,
  passkeyAnswerMaxLength: 20_000,
  /** Browsers keep cookies for at most 400 days. */
  knownBrowserMs: 400 * 24 * 3_600_000,
  /** Exports of the audit log by one administrator in an hour. */
  auditExportsPerHour: 20,
  /** The number of most common passwords that are refused. */
  commonPasswords: 10_000,

  // rules for claims of the sign-in provider
  claimRulesMax: 100,
  claimNameMaxLength: 100,
  claimValueMaxLength: 200,
  /** The most values of one claim that are stored for a person. */
  claimValuesMax: 200,
  /** A preview lists this many changes; all others are only counted. */
  claimChangesShown: 100,
  /** The rules list this many people to whom they could not be applied. */
  claimProblemsShown: 20,

  // groups
  groupsMax: 1_000,
  groupNameMaxLength: 100,
  /** For manual groups; dynamic groups may have more. */
  groupMembersMax: 50_000,
  /** People added, removed or looked up by one call. */
  groupMembersPerCall: 1_000,
  /** A line of a file of addresses; longer ones than `emailMaxLength` are reported. */
  groupAddressMaxLength: 320,
  /** A client reads files of addresses up to this size, and sends them in several calls. */
  groupFileMaxBytes: 5_000_000,
  groupPollMs: 1_000,
  /** The supervisors who may assign to one group. */
  groupAssignersMax: 200,
  /** One page of a preview of a bulk action concerns at most this many members. */
  groupPreviewMembers: 1_000,
  /** Screens show this many of the affected people at once. */
  groupPreviewNames: 100,
  /** While the tasks of a group are changing, pages ask this often how far the update has come. */
  groupProgressPollMs: 2_000,

  // imports of people
  importMaxLines: 10_000,
  /** Clients upload a file in parts of this many characters; each fits into `bodyMaxBytes`. */
  importPartCharacters: 200_000,
  importMaxParts: 25,
  /** An import lists this many problems of its file; all others are only counted. */
  importMaxProblems: 1_000,
  importPollMs: 500,
  /** An import without progress for this long counts as interrupted. */
  importStaleMs: 15_000,

  // the monitored session
  monitoringLockMs: 5 * 60_000,
  /** A person is online for this long after their last request. */
  presenceActiveMs: 90_000,
  /** The shortest interval between two presence reports of one login session. */
  presenceReportMs: 10_000,
  /** A playback position this far beyond the end of the video counts as the end. */
  positionToleranceS: 2,
  sweepMs: 30_000,

  // player timers
  progressTickMs: 1_000,
  progressSaveMs: 10_000,
  playingEventS: 10,
  heartbeatMs: 30_000,
  countdownS: 3,
  stallCheckMs: 2_000,
  upNextCount: 3,
  /** Larger files of captions are not offered. */
  trackMaxBytes: 2_000_000,
  /** At most this many files of captions are offered for a video. */
  trackMaxCount: 60,
  /** A transcript shows at most this many captions. */
  transcriptMaxCues: 5_000,
  commentFlashMs: 1_500,
  commentReloadMs: 1_000,

  // mails
  unsubscribeTokenMaxLength: 200,
  /** A mail server's answer is stored up to this length. */
  serverReplyMaxLength: 500,
  /** The most attempts to send one mail; the waits between grow from a minute to twelve hours. */
  mailAttempts: 10,
  /** A mail that could not be sent for this long, for instance without a mail server, fails. */
  mailMaxAgeMs: 3 * 24 * 3_600_000,
  /** Mails that one process sends at the same time. */
  mailsAtOnce: 5,
  /** The status counts the mails of a state up to this number. */
  maxCountedMails: 10_000,
  mailFailuresShown: 20,
  bouncesShown: 100,
  mailSubjectMaxLength: 200,
  mailTextMaxLength: 4_000,
  mailLinkLabelMaxLength: 60,
  mailFooterMaxLength: 1_000,
  /** Languages of mails besides the default one. */
  mailLanguagesMax: 30,
  quietDatesMax: 100,
  /** A digest names at most this many tasks, and counts all. */
  digestTasksMax: 100,
  /** A digest that could not be queued for this long, because no process ran, is left out. */
  digestMaxDelayMs: 6 * 3_600_000,
  /** A reminder that would come later than this before its due date is sent in a quiet time. */
  lastReminderMs: 3_600_000,
  /**
   * The CSV of a report goes with the mail up to this size. Many mail servers take at most 10 MB.
   */
  reportMailMaxBytes: 1_000_000,
  testMailsPerHour: 10,
  /** One administrator may send this many invitations by mail. */
  invitationMailsPerHour: 20,
  /**
   * A mail for whose delivery a person waits (a test, an invitation) is given up if the server has
   * not asked for its content within this time.
   */
  awaitedMailMs: 20_000,

  // polling
  commentPollMs: 30_000,
  onlinePanelPollMs: 15_000,
  onlineDashboardPollMs: 30_000,
  notificationsPollMs: 10_000,
  notificationsPanelPollMs: 15_000,
  teamPollMs: 30_000,
  adminPollMs: 30_000,
  /** Figures of the whole organisation are kept in memory; older ones are computed again first. */
  figuresMaxAgeMs: 5 * 60_000,
  /** The system status shows a part of the system that does not answer in this time as failing. */
  systemStatusTimeoutMs: 10_000,
  searchDebounceMs: 300,
  chatPollMs: 5_000,

  // notifications and the live stream
  /** Similar activities within this time are grouped in one notification. */
  notificationGroupingMs: 5 * 60_000,
  streamHeartbeatMs: 15_000,
  /** A stream whose heartbeats stop for this long is dead; the client opens another. */
  streamSilenceMs: 35_000,
  /** While the stream is healthy, clients poll data that hints cover this seldom. */
  hintedPollMs: 60_000,
  /** The first and the longest pause before a client reconnects to the stream; jitter is added. */
  streamRetryMs: 1_000,
  streamRetryMaxMs: 30_000,
  /**
   * A stream ends after about this long, and the browser opens another. The session is then checked
   * again, and new replicas get their share of the streams.
   */
  streamLifetimeMs: 60 * 60_000,
  /** The most open streams of one person. One more ends the oldest. */
  streamsPerPerson: 20,
  /** The buffer of a stream whose reader is slow. Beyond it the stream ends; browsers reconnect. */
  streamBufferBytes: 16_384,
  /**
   * The shortest interval between two hints of one type on a stream. The last one is never lost.
   */
  hintSpacingMs: 500,
  /** The same for hints of one chat room; it is shorter, so that a conversation does not lag. */
  chatHintSpacingMs: 100,
  /** The longest time over which many pages spread their refreshes after one hint. */
  hintSpreadMaxMs: 5_000,
  /** The interval of the job that looks for people who came online or went offline. */
  presenceWatchMs: 500,
  /** The longest time for which a cached list of online people is valid; it contains times. */
  onlineMaxAgeMs: 30_000,

  // screens
  adminSetupRedirectMs: 2_000,
  signInErrorRedirectMs: 3_000,
  notificationBadgeMax: 9,
  /** For this long a rejection, a removal or a deletion can be undone; then it is sent. */
  undoMs: 5_000,
  completionGreen: 80,
  completionYellow: 60,

  // watch time
  /** A person is stuck after this long without activity, if a task has been open for as long. */
  stalledAfterMs: 3 * 24 * 3600_000,
  /** A video is completed from this percentage on. */
  completedRate: 90,
  /** The bank holds the credit of at most this much lock time. */
  maxBankS: 300,
  /** A person's bank may be this far below zero. */
  overdraftS: 3,
  candidateToleranceS: 1,
  /** Gaps up to this long come from the joints of playback, not from skipping. */
  jointToleranceS: 1,
  /**
   * For this long after a playlist or video was removed, or after a session has ended, earlier
   * watching may still be reported.
   */
  lateReportsMs: 10 * 60_000,
  /** An attention check comes after at least this many credited seconds of tasks with checks. */
  attentionMinS: 120,
  /** An attention check comes after at most this many credited seconds. */
  attentionMaxS: 600,
  attentionAnswerMs: 60_000,
  /**
   * For people who ask for more time: ten times as long. Source: WCAG 2.2, success criterion 2.2.1.
   */
  attentionExtendedMs: 600_000,
  /** The shortest interval between two `integrity.noted` events of one person and video. */
  integrityNoteMs: 60_000,

  // playlists, comments, chat
  titleMaxLength: 200,
  descriptionMaxLength: 2_000,
  urlMaxLength: 2_000,
  playlistMaxVideos: 500,
  videoMaxDurationS: 24 * 3600,
  assignMaxPeople: 1_000,
  /**
   * An answer lists at most this many assigned people of all its playlists. The largest page of a
   * supervisor with a full team stays below it.
   */
  assigneesPerAnswer: 5_000,
  remindMaxPeople: 100,
  /** Ten years, the longest time ahead for which a due date can be set. */
  dueMaxAheadMs: 10 * 366 * 24 * 3_600_000,
  /** The longest grace period after a due date. */
  graceMaxDays: 90,
  requiredPercentMin: 50,
  /** The highest playback rate that an installation can credit (MAX_PLAYBACK_RATE). */
  creditedRateMax: 4,
  /** Ten years, the longest period of a recurring task. */
  recurrenceMaxWeeks: 520,
  recurrenceMaxMonths: 120,
  recurrenceMaxYears: 10,
  /** The most occurrences without opening that are listed: the first one and the latest ones. */
  skippedOccurrencesMax: 100,
  /** An open task that is due within this time is at risk if it is behind schedule. */
  atRiskWithinMs: 7 * 24 * 3_600_000,
  /** No task is behind schedule before this share of its time until the due date has passed. */
  paceFromShare: 0.25,
  /** A task of which nothing is credited is at risk from this time after its assignment on. */
  notStartedAfterMs: 24 * 3_600_000,
  shareMaxSupervisors: 200,
  /**
   * The time for one response of the YouTube Data API, and for all of them in one operation. The
   * total is below the gateway's own limit.
   */
  videoDataCallTimeoutMs: 8_000,
  videoDataTotalTimeoutMs: 12_000,
  commentMaxLength: 2_000,
  repliesPerComment: 50,
  reasonMaxLength: 1_000,
  chatMessageMaxLength: 4_000,
  chatPageSize: 50,
  /** The most chat messages of one person in `messageRateWindowMs`, in all rooms. */
  messageRateLimit: 60,
  messageRateWindowMs: 10_000,
  /** The interval at which a client reports that a person is typing. */
  typingReportMs: 3_000,
  /** The most of these reports of one person in `typingReportMs`, in all rooms. */
  typingReportLimit: 6,
  /** The time for which a client shows that the partner is typing. */
  typingDisplayMs: 6_000,
  chatWindows: 3,

  // the most uses of one person within the time after it, far above honest use
  commentRateLimit: 120,
  commentRateWindowMs: 10 * 60_000,
  playlistRateLimit: 200,
  playlistRateWindowMs: 60 * 60_000,
  importRateLimit: 30,
  importRateWindowMs: 60 * 60_000,
  exportRateLimit: 60,
  exportRateWindowMs: 10 * 60_000,
  /** Each sending by hand is a mail to every recipient of a saved report. */
  savedReportSendingRateLimit: 12,
  /** New and changed saved reports: a schedule that moves makes mails, too. */
  savedReportRateLimit: 100,
  savedReportRateWindowMs: 60 * 60_000,
  unavailableReportLimit: 50,
  unavailableReportWindowMs: 24 * 3600_000,
  /**
   * Calls of the YouTube Data API, each of one unit: of one person, and of everybody. By default
   * YouTube permits 10,000 units a day.
   */
  videoDataCallsPerPerson: 1_000,
  videoDataCallsPerOrganisation: 9_000,
  videoDataWindowMs: 24 * 3600_000,

  // saved reports
  savedReportsPerPerson: 50,
  savedReportNameMaxLength: 80,
  savedReportRecipientsMax: 20,
  /** The shortest interval between two sendings of a saved report by hand. */
  savedReportSendingMs: 60_000,
  /** The most rows of a report in one answer, and so on paper. The CSV file has all rows. */
  reportRowsMax: 5_000,

  // records
  /** The most bytes of a record as JSON, so that a page can send it back to be verified. */
  recordMaxBytes: 600_000,
  /**
   * The most characters of a file that is verified: an issued record with salts, seal and
   * signature.
   */
  recordFileMaxLength: 800_000,
  recordTasksMax: 500,
  /**
   * The most members in one record of a group. More would make a longer document than this limit,
   * so a larger group is divided into parts of about `groupRecordPartMembers`.
   */
  groupRecordMembersMax: 1_000,
  groupRecordPartMembers: 500,
  groupRecordPartsMax: 500,
  /** The most sessions, and the most changes of tasks, that a record is made from. */
  recordFactsMax: 10_000,
  /** Attempts to verify from one network. */
  verificationsPerMinute: 30,

  // requests and pages
  bodyMaxBytes: 1_048_576,
  pageDefault: 100,
  pageMax: 500,
  /** The cursor of a list by name contains the key of a name. */
  cursorMaxLength: 1_500,
  /** The most ids in a query. */
  idListMax: 100,
  /** The most parts in a person's watch strip in a list. */
  creditedPartsMax: 50,
  /** The most entries in one page of an internal operation. */
  internalPageMax: 1_000,
  /**
   * Counting stops here for searches, filtered lists and the audit log: the total is this or more.
   */
  maxCountedTotal: 1_000,
} as const
