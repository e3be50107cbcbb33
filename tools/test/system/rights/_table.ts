/**
 * All rights in one table: the status of each call for each role, on an object of the caller's own
 * chain and of a foreign chain. _calls.ts prepares these objects. `-` stands for calls without an
 * object.
 */
export const columns = ['nobody', 'user', 'supervisor', 'manager', 'director', 'admin'] as const
export type Column = (typeof columns)[number]

const table = `
                           whose      nobody  user  supervisor  manager  director  admin

signIn                     -          302     302   302         302      302       302
signInCallback             -          302     302   302         302      302       302
signInOptions              -          200     200   200         200      200       200
getSignInFailure           -          200     200   200         200      200       200
listTokenKeys              -          200     200   200         200      200       200
login                      -          401     401   401         401      401       401
refreshSession             -          401     401   401         401      401       401
logout                     -          200     200   200         200      200       200
backchannelLogout          -          400     400   400         400      400       400
setupAdmin                 -          400     400   400         400      400       400
loginAdmin                 -          401     401   401         401      401       401
logoutAdmin                -          200     200   200         200      200       200
getProfile                 -          401     200   200         200      200       200
getPrivacyNotice           -          200     200   200         200      200       200
getOwnAccount              -          401     200   200         200      200       200
endOwnSession              unknown    401     404   404         404      404       404
endOtherOwnSessions        -          401     200   200         200      200       200
getAdminProfile            -          401     403   403         403      403       200
changeAdminPassword        -          401     403   403         403      403       200
listAdministrators         -          401     403   403         403      403       200
inviteAdministrator        -          401     403   403         403      403       201
withdrawAdminInvitation    unknown    401     403   403         403      403       404
removeAdministrator        unknown    401     403   403         403      403       404
checkAdminInvitation       -          404     404   404         404      404       404
acceptAdminInvitation      -          404     404   404         404      404       404
getSecondFactors           -          401     403   403         403      403       200
beginSecondFactor          -          401     403   403         403      403       200
addSecondFactor            -          401     403   403         403      403       401
removeSecondFactor         unknown    401     403   403         403      403       404
replaceRecoveryCodes       -          401     403   403         403      403       409
beginPasskeyLogin          -          401     401   401         401      401       401
completeAdminLogin         -          401     401   401         401      401       401
beginFirstFactor           -          401     401   401         401      401       401
addFirstFactor             -          401     401   401         401      401       401

listUsers                  -          401     403   403         403      403       200
countUsers                 -          401     403   403         403      403       200
listSupervisors            -          401     403   403         200      403       200
listManagers               -          401     403   403         403      403       200
getPicture                 -          401     404   404         404      404       404
listTeam                   -          401     403   200         200      200       200
changeRole                 own        401     403   403         403      403       200
changeRole                 foreign    401     403   403         403      403       200
changeRole                 self       401     403   403         403      403       409
changeSupervisor           own        401     403   403         403      403       200
changeSupervisor           foreign    401     403   403         403      403       200
changeSupervisor           self       401     403   403         403      403       409
changeManager              own        401     403   403         403      403       200
changeManager              foreign    401     403   403         403      403       200
changeManager              self       401     403   403         403      403       409
changeStatus               own        401     403   403         403      403       200
changeStatus               foreign    401     403   403         403      403       200
changeStatus               self       401     403   403         403      403       409
deleteUser                 own        401     403   403         403      403       200
deleteUser                 foreign    401     403   403         403      403       200
deleteUser                 self       401     403   403         403      403       409
endSessionsOfUser          own        401     403   403         403      403       200
endSessionsOfUser          foreign    401     403   403         403      403       200
endSessionsOfUser          self       401     403   403         403      403       409
exportAccountData          self       401     200   200         200      200       200
exportAccountData          own        401     403   403         403      403       200
eraseUser                  own        401     403   403         403      403       200
eraseUser                  self       401     403   403         403      403       409
listErasures               -          401     403   403         403      403       200
listSupervisorRequests     -          401     403   403         403      403       200
reviewSupervisorRequest    own        401     403   403         403      403       200
reviewSupervisorRequest    foreign    401     403   403         403      403       200
requestSupervisor          free       401     403   403         200      403       403
requestSupervisor          own        401     403   403         409      403       403
requestSupervisor          foreign    401     403   403         409      403       403
listOwnRequests            -          401     403   403         200      403       403
withdrawRequest            own        401     403   403         200      403       403
withdrawRequest            foreign    401     403   403         404      403       403
listOwnSupervisors         -          401     403   403         200      403       403
returnSupervisor           own        401     403   403         200      403       403
returnSupervisor           foreign    401     403   403         404      403       403
listAudit                  -          401     403   403         403      403       200
exportAudit                -          401     403   403         403      403       200
getFailedSignIns           -          401     403   403         403      403       200
getSystemStatus            -          401     403   403         403      403       200
getClaimRules              -          401     403   403         403      403       200
saveClaimRules             -          401     403   403         403      403       200
previewClaimRules          -          401     403   403         403      403       200

listGroups                 -          401    403   200         403      200       200
listGroupChoices           -          401    403   200         200      200       200
listGroupClaims            -          401    403   403         403      200       200
getGroup                   own        401    403   200         403      200       200
getGroup                   foreign    401    403   404         403      200       200
createGroup                -          401    403   403         403      201       201
updateGroup                own        401    403   403         403      200       200
deleteGroup                own        401    403   403         403      200       200
listGroupMembers           own        401    403   200         403      200       200
listGroupMembers           foreign    401    403   404         403      200       200
addGroupMembers            own        401    403   403         403      200       200
removeGroupMembers         own        401    403   403         403      200       200
previewGroupImport         own        401    403   403         403      200       200
importGroupMembers         own        401    403   403         403      200       200

createImport               -          401     403   403         403      403       201
uploadImportPart           own        401     403   403         403      403       200
uploadImportPart           unknown    401     403   403         403      403       404
checkImport                own        401     403   403         403      403       202
checkImport                unknown    401     403   403         403      403       404
applyImport                own        401     403   403         403      403       202
applyImport                unknown    401     403   403         403      403       404
getImport                  own        401     403   403         403      403       200
getImport                  unknown    401     403   403         403      403       404

createPlaylist             -          401     403   201         201      201       201
updatePlaylist             own        401     403   200         200      200       200
updatePlaylist             foreign    401     403   404         404      200       200
deletePlaylist             own        401     403   200         200      200       200
deletePlaylist             foreign    401     403   404         404      200       200
getVideoDataStatus         -          401     403   200         200      200       200
previewImport              -          401     403   200         200      200       200
importPlaylist             -          401     403   201         201      201       201
refreshPlaylist            own        401     403   200         200      200       200
refreshPlaylist            foreign    401     403   404         404      200       200
sharePlaylist              own        401     403   403         200      403       403
sharePlaylist              foreign    401     403   403         403      403       403
sharePlaylistWith          own        401     403   403         200      403       403
sharePlaylistWith          foreign    401     403   403         404      403       403
sharePlaylistWith          stranger   401     403   403         403      403       403
unsharePlaylist            own        401     403   403         200      403       403
unsharePlaylist            foreign    401     403   403         404      403       403
listPlaylists              -          401     200   200         200      200       200
listPlaylistChoices        -          401     403   200         200      200       200
getPlaylist                own        401     200   200         200      200       200
getPlaylist                foreign    401     404   404         404      200       200
listTasks                  -          401     403   200         403      403       403
getConditionLimits         -          401     403   200         403      200       200
assignPlaylist             own        401     403   200         403      200       200
assignPlaylist             foreign    401     403   404         403      200       200
assignPlaylist             stranger   401     403   403         403      200       200
unassignPlaylist           own        401     403   200         403      200       200
unassignPlaylist           foreign    401     403   404         403      200       200
unassignPlaylist           stranger   401     403   403         403      200       200
setDueDate                 own        401     403   200         403      200       200
setDueDate                 foreign    401     403   404         403      200       200
setDueDate                 stranger   401     403   403         403      200       200
overrideTask               own        401     403   200         403      200       200
overrideTask               foreign    401     403   404         403      200       200
overrideTask               stranger   401     403   403         403      200       200
listAssignees              own        401     403   200         403      200       200
listAssignees              foreign    401     403   404         403      200       200
listGroupAssignments       own        401     403   200         403      200       200
listGroupAssignments       foreign    401     403   404         403      200       200
previewGroupAction         own        401     403   200         403      200       200
previewGroupAction         foreign    401     403   404         403      200       200
assignToGroup              own        401     403   200         403      200       200
assignToGroup              foreign    401     403   404         403      200       200
withdrawFromGroup          own        401     403   200         403      200       200
withdrawFromGroup          foreign    401     403   404         403      200       200
remindGroup                own        401     403   200         403      200       200
remindGroup                foreign    401     403   404         403      200       200
remindPeople               own        401     403   200         200      200       200
remindPeople               foreign    401     403   403         403      200       200
getToday                   -          401     200   200         200      200       200
listAssignments            -          401     200   200         200      200       200
exportDueDates             -          401     200   403         403      403       403
getSessionStatus           -          401     200   200         200      200       200
countOwnSessions           -          401     200   200         200      200       200
exportWatchingData         self       401     200   200         200      200       200
exportWatchingData         own        401     403   403         403      403       200
getMonitoringNotice        -          401     200   200         200      200       200
answerMonitoringNotice     -          401     409   409         409      409       409
setMonitoring              own        401     200   200         200      200       200
setMonitoring              foreign    401     404   404         404      200       200
saveProgress               own        401     200   200         200      200       200
saveProgress               foreign    401     404   404         404      409       409
reportUnavailable          own        401     200   200         200      200       200
reportUnavailable          foreign    401     404   404         404      200       200
dismissUnavailable         own        401     403   200         200      200       200
dismissUnavailable         foreign    401     403   404         404      200       200
previewMedia               -          401     403   200         200      200       200
getVideoCover              -          401     404   404         404      404       404
heartbeat                  own        401     200   200         200      200       200
listOnline                 -          401     403   200         200      200       200

track                      own        401     200   200         200      200       200
track                      foreign    401     404   404         404      200       200
getAttentionCheck          -          401     200   200         200      200       200
answerAttentionCheck       unknown    401     404   404         404      404       404
getWatched                 own        401     200   200         200      200       200
getWatched                 foreign    401     404   404         404      200       200
getTeam                    -          401     403   200         200      200       200
listTeams                  -          401     403   403         200      200       200
listTasksAtRisk            -          401     403   200         200      200       200
getReport                  -          401     403   200         200      200       200
getMember                  own        401     403   200         200      200       200
getMember                  foreign    401     403   404         404      200       200
getOwnRecord               -          401     200   200         200      200       200
exportOwnRecord            -          401     200   200         200      200       200
getRecord                  self       401     200   200         200      200       200
getRecord                  own        401     200   200         200      200       200
getRecord                  foreign    401     404   404         404      200       200
issueRecord                self       401     200   200         200      200       200
issueRecord                own        401     200   200         200      200       200
issueRecord                foreign    401     404   404         404      200       200
getGroupRecord             own        401     403   200         200      200       200
getGroupRecord             foreign    401     403   404         404      200       200
issueGroupRecord           own        401     403   200         200      200       200
issueGroupRecord           foreign    401     403   404         404      200       200
issueCertificate           own        401     409   409         409      409       409
issueCertificate           foreign    401     404   404         404      409       409
downloadIssued             own        401     200   200         200      200       200
downloadIssued             foreign    401     404   404         404      200       200
verifyRecord               -          200     200   200         200      200       200
listRecordKeys             -          200     200   200         200      200       200
exportRecordChain          -          401     403   403         403      200       200
exportEngagementData       self       401     200   200         200      200       200
exportEngagementData       own        401     403   403         403      403       200
listDetailViews            self       401     200   200         200      200       200
listDetailViews            own        401     403   403         403      403       200
getTeamHistory             -          401     403   200         200      200       200
exportTeam                 -          401     403   200         200      200       200
exportReport               -          401     403   200         200      200       200
listSavedReports           -          401     403   200         200      200       200
createSavedReport          -          401     403   201         201      201       201
getSavedReport             own        401     403   200         200      200       200
getSavedReport             foreign    401     403   404         404      404       404
updateSavedReport          own        401     403   200         200      200       200
updateSavedReport          foreign    401     403   404         404      404       404
sendSavedReport            own        401     403   202         202      202       202
sendSavedReport            foreign    401     403   404         404      404       404
deleteSavedReport          own        401     403   200         200      200       200
deleteSavedReport          foreign    401     403   404         404      404       404
getEngagementDashboard     -          401     403   200         200      200       200
getTeamAnalytics           -          401     403   403         200      403       403
listComments               own        401     200   200         200      200       200
listComments               foreign    401     404   404         404      200       200
addComment                 own        401     200   200         200      200       200
addComment                 foreign    401     404   404         404      200       200
editComment                own        401     200   200         200      200       200
editComment                foreign    401     404   404         404      404       404
deleteComment              own        401     200   200         200      200       200
deleteComment              foreign    401     404   404         404      404       404
hideComment                own        401     403   200         200      200       200
hideComment                foreign    401     403   404         404      200       200

listNotifications          -          401     200   200         200      200       200
countOwnNotifications      -          401     200   200         200      200       200
exportNotificationData     self       401     200   200         200      200       200
exportNotificationData     own        401     403   403         403      403       200
reviewNotification         own        401     403   200         403      403       403
reviewNotification         foreign    401     403   404         403      403       403
readNotification           own        401     200   200         200      200       200
readNotification           foreign    401     404   404         404      404       404
readAllNotifications       -          401     200   200         200      200       200
getMailChoices             -          401     200   200         200      200       200
saveMailChoices            -          401     200   200         200      200       200
openUnsubscribe            -          302     302   302         302      302       302
unsubscribe                -          400     400   400         400      400       400
getMailStatus              -          401     403   403         403      403       200
sendTestMail               -          401     403   403         403      403       503
mailAdminInvitation        -          401     403   403         403      403       503
clearBounce                unknown    401     403   403         403      403       404
getMailLanguages           -          401     403   403         403      403       200
saveMailLanguages          -          401     403   403         403      403       409
listMailWordings           -          401     403   403         403      403       200
saveMailWording            -          401     403   403         403      403       409
previewMailWording         -          401     403   403         403      403       200
getReminderSettings        -          401     403   403         403      403       200
saveReminderSettings       -          401     403   403         403      403       409
openStream                 -          401     200   200         200      200       200

listRooms                  -          401     200   200         200      200       200
listMessages               own        401     200   200         200      200       200
listMessages               foreign    401     404   404         404      404       404
getUnreadCount             -          401     200   200         200      200       200
countOwnMessages           -          401     200   200         200      200       200
exportChatData             self       401     200   200         200      200       200
exportChatData             own        401     403   403         403      403       200
sendMessage                own        401     200   200         200      200       200
sendMessage                stranger   401     403   403         403      403       200
markRead                   own        401     200   200         200      200       200
markRead                   foreign    401     404   404         404      404       404
tellTyping                 own        401     200   200         200      200       200
tellTyping                 stranger   401     403   403         403      403       200
exportRoom                 own        401     200   200         200      200       200
exportRoom                 foreign    401     404   404         404      404       404
`

export interface Cell {
  operation: string
  whose: string
  column: Column
  status: number
}

/** One cell for every row and column. */
export const cells: readonly Cell[] = table
  .split('\n')
  .slice(2)
  .filter(line => line.trim() !== '')
  .flatMap(line => {
    const [operation, whose, ...statuses] = line.trim().split(/\s+/)
    if (statuses.length !== columns.length) throw new Error(`not a row of the table: ${line}`)
    return columns.map((column, index) => ({
      operation: operation!,
      whose: whose!,
      column,
      status: Number(statuses[index]),
    }))
  })
