/**
 * Every limit and timer of the product in one place, for server and client alike. Names end in their unit: `Ms`
 * milliseconds, `S` seconds, no ending a count. Source: the product's specification, section 9, and its design rules.
 */
export const limits = {
  // people
  passwordMinLength: 8,
  passwordMaxLength: 200,
  nameMaxLength: 120,
  emailMaxLength: 254,
  supervisorCapacity: 10,
  sessionIdTtlMs: 60_000,
  accessTokenTtlS: 600,
  refreshTokenTtlS: 30 * 24 * 3600,
  /** A spent refresh token is answered with its successor this long: tabs that race are one client. */
  refreshGraceMs: 30_000,
  loginTriesPerAccount: 10,
  loginTriesPerAddress: 50,
  loginTriesWindowMs: 15 * 60_000,

  // bringing people in
  importMaxLines: 10_000,
  /** A file travels in parts of this many characters, each well within the bound of a body. */
  importPartCharacters: 200_000,
  importMaxParts: 25,
  /** How many of a file's problems are told; the rest is counted. */
  importMaxProblems: 1_000,
  importPollMs: 500,
  /** An import nobody has heard of this long was interrupted. */
  importSilentMs: 15_000,

  // the monitored session
  monitoringLockMs: 5 * 60_000,
  presenceActiveMs: 90_000,
  presenceNoteMs: 10_000,
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
  commentFlashMs: 1_500,
  commentReloadMs: 1_000,

  // polling
  commentPollMs: 30_000,
  onlinePanelPollMs: 15_000,
  onlineDashboardPollMs: 30_000,
  notificationsPollMs: 10_000,
  notificationsPanelPollMs: 15_000,
  teamPollMs: 30_000,
  adminPollMs: 30_000,
  /** Whether a part of the system works is asked with patience for this long: no answer by then says that it does not. */
  systemStatusMs: 10_000,
  searchTypingMs: 300,
  chatPollMs: 5_000,

  // notifications and the live stream
  notificationFoldMs: 5 * 60_000,
  notificationKeepS: 90 * 24 * 3600,
  streamHeartbeatMs: 15_000,
  /** A client that lost the stream waits at least this long, then longer up to the most, with jitter. */
  streamRetryMs: 1_000,
  streamRetryMaxMs: 30_000,
  /** After about so long a stream ends and the browser opens another: the session is asked again, and new replicas get their share. */
  streamLifeMs: 60 * 60_000,
  /** Of one person; one more, and the oldest ends. */
  streamsPerPerson: 20,
  /**
   * Bytes buffered for a reader that does not read. Beyond it the stream is closed, and the browser
   * reconnects.
   */
  streamBufferBytes: 16_384,
  /** Hints of one kind to one connection are this far apart at least; the last of a burst is never lost. */
  hintSpacingMs: 500,
  /** Of one chat room: two who talk do not wait for each other. */
  chatHintSpacingMs: 100,
  /** How often it is looked who came online and whose presence expired. */
  presenceWatchMs: 500,
  /** An unchanged answer that holds times of activity is good for this long at most. */
  onlineFreshMs: 30_000,

  // screens
  adminSetupRedirectMs: 2_000,
  signInErrorRedirectMs: 3_000,
  notificationBadgeMax: 9,
  completionGreen: 80,
  completionYellow: 60,

  // watch time
  completedRate: 90,
  maxBankS: 300,
  overdraftS: 3,
  candidateToleranceS: 1,
  /** After a playlist or video was removed, seconds watched before may be reported this long. */
  lateReportsMs: 10 * 60_000,
  /** The shortest interval between two published notes about one person and video. */
  integrityNoteMs: 60_000,

  // playlists, comments, chat
  titleMaxLength: 200,
  descriptionMaxLength: 2_000,
  urlMaxLength: 2_000,
  playlistMaxVideos: 500,
  videoMaxDurationS: 24 * 3600,
  assignMaxPeople: 1_000,
  shareMaxSupervisors: 200,
  /** One answer of the YouTube Data API, and all that one call of ours may take; within the gateway's own limit. */
  videoDataCallMs: 8_000,
  videoDataTotalMs: 12_000,
  commentMaxLength: 2_000,
  reasonMaxLength: 1_000,
  chatMessageMaxLength: 4_000,
  chatPageSize: 50,
  /** Messages of one sender in ten seconds, all rooms together. */
  chatFloodMessages: 60,
  chatFloodWindowMs: 10_000,
  typingSayMs: 3_000,
  /** Of one person in `typingSayMs`, all rooms together. */
  chatTypingTells: 6,
  typingShowMs: 6_000,
  chatWindows: 3,

  // the wire
  bodyMaxBytes: 1_048_576,
  pageDefault: 100,
  pageMax: 500,
  /** Entries in one page of an internal operation. */
  internalPageMax: 1_000,
  /** Of what was searched for or filtered, and of the audit log, no more are counted: this total means “so many or more”. */
  countedAtMost: 1_000,
} as const
