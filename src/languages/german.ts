import type { PageLanguage } from '../core/base/pages/languages/english.js';

/** German (`de`), with Sie. */
export const german: PageLanguage = {
  locale: 'de',
  texts: {
    help: 'Hilfe',
    privacy: 'Datenschutz',
    terms: 'Nutzungsbedingungen',
    backTo: 'Zurück zu {name}',
    startAgain: 'Neu beginnen',
    signedInAs: 'Sie sind als {user} angemeldet.',
    signOut: 'Abmelden',

    signIn: 'Anmelden',
    signInTo: 'Melden Sie sich mit Ihrem Konto bei {site} an.',
    signInToContinue: 'Melden Sie sich mit Ihrem Konto bei {site} an, um mit {client} fortzufahren.',
    userName: 'Benutzername',
    password: 'Passwort',
    continueAs: 'Als {user} fortfahren',
    useAnotherAccount: 'Oder melden Sie sich mit einem anderen Konto an:',

    allowClient: 'Zugriff für {client} erlauben?',
    clientWants: '{client} bittet um folgende Berechtigungen:',
    clientWantsSignIn: '{client} möchte nur wissen, ob Sie angemeldet sind.',
    allow: 'Erlauben',
    deny: 'Ablehnen',
    switchAccount: 'Abmelden und ein anderes Konto verwenden',
    selfNamed: 'Diese Anwendung nennt sich selbst „{client}“.',
    trustHost: 'Erlauben Sie dies nur, wenn Sie {host} vertrauen.',
    describedAt:
      'Diese Anwendung wird durch ein Dokument auf {host} beschrieben. Der Name der Anwendung ist nicht überprüft.',
    justStarted: 'Erlauben Sie dies nur, wenn Sie {client} gerade selbst auf diesem Computer gestartet haben.',
    anyProgram: 'Jedes Programm auf diesem Computer könnte diesen Namen verwenden.',
    about: 'Über diese Anwendung:',
    website: 'Website ({host})',
    privacyPolicy: 'Datenschutzerklärung ({host})',
    termsOfService: 'Nutzungsbedingungen ({host})',
    returnsTo: 'Nach Ihrer Entscheidung werden Sie zu {host} weitergeleitet.',
    changeLater: 'Sie können dies später unter {page} ändern.',

    connectDevice: 'Gerät verbinden',
    enterCode: 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
    code: 'Code',
    continue: 'Weiter',
    deviceWants: 'Ein Gerät mit {client} bittet um folgende Berechtigungen:',
    deviceWantsSignIn: 'Ein Gerät mit {client} möchte nur wissen, ob Sie angemeldet sind.',
    codeOnDevice: 'Code auf Ihrem Gerät',
    fingerprint: 'Fingerabdruck Ihres Geräts, falls es einen anzeigt',
    yourDeviceOnly: 'Erlauben Sie dies nur, wenn Sie diesen Code auf einem Gerät vor sich sehen.',
    codeWasSent:
      'Wenn Ihnen der Code zugeschickt wurde, lehnen Sie die Anfrage ab. Der Absender erhält sonst Zugriff auf Ihr Konto.',
    deviceConnected: 'Gerät verbunden',
    clientConnected: '{client} ist verbunden. Sie können diese Seite schließen und auf Ihrem Gerät fortfahren.',
    deviceNotConnected: 'Gerät nicht verbunden',
    clientNotConnected: '{client} wurde nicht verbunden. Sie können diese Seite schließen.',
    connectAnother: 'Ein weiteres Gerät verbinden',

    connectedApps: 'Verbundene Anwendungen',
    noApps: 'Keine Anwendung hat Zugriff auf Ihr Konto.',
    apps: {
      one: '{count} Anwendung hat Zugriff auf Ihr Konto.',
      other: '{count} Anwendungen haben Zugriff auf Ihr Konto.',
    },
    knowsSignIn: 'Die Anwendung kann sehen, dass Sie angemeldet sind.',
    connectedOn: 'Verbunden am {date}.',
    lastUsedOn: 'Zuletzt verwendet am {date}.',
    disconnect: 'Zugriff von {client} beenden',
    disconnectAll: 'Alle Zugriffe beenden',

    somethingWrong: 'Etwas ist schiefgelaufen',
    inDevelopment: 'Nur in der Entwicklung sichtbar:',
    reference: 'Referenz: {reference}',

    wrong_credentials: 'Der Benutzername oder das Passwort ist falsch.',
    wrong_code: 'Dieser Code ist falsch oder abgelaufen. Sehen Sie auf Ihrem Gerät nach und geben Sie ihn erneut ein.',
    form_expired: 'Dieses Formular ist abgelaufen oder wurde nicht in diesem Browser angezeigt.',
    too_many_attempts: {
      one: 'Zu viele Versuche. Versuchen Sie es in {count} Minute erneut.',
      other: 'Zu viele Versuche. Versuchen Sie es in {count} Minuten erneut.',
    },
    already_answered: 'Sie haben diese Anfrage bereits beantwortet. Kehren Sie zur Anwendung zurück.',
    device_already_answered: 'Sie haben für dieses Gerät bereits entschieden.',
    no_decision: 'Entscheiden Sie, ob Sie die Anfrage erlauben oder ablehnen.',
    nothing_to_disconnect: 'Wählen Sie aus, welche Anwendung keinen Zugriff mehr haben soll.',
    missing_client_id: 'Der Link, der Sie hierher geführt hat, nennt keine Anwendung.',
    unknown_client: 'Die Anwendung, die Sie hierher geführt hat, ist nicht bekannt.',
    unknown_registration:
      'Die Anwendung, die Sie hierher geführt hat, ist nicht mehr bekannt. Entfernen Sie die Verbindung in der Anwendung und stellen Sie sie neu her.',
    client_unavailable:
      'Die Anwendung, die Sie hierher geführt hat, kann gerade nicht überprüft werden. Versuchen Sie es in einer Minute erneut.',
    client_refused: 'Die Anwendung, die Sie hierher geführt hat, wird von diesem Server nicht akzeptiert.',
    client_changed: 'Die Anwendung, die Sie hierher geführt hat, ist nicht mehr bekannt.',
    missing_redirect_uri:
      'Der Link, der Sie hierher geführt hat, gibt nicht an, wohin Sie weitergeleitet werden sollen.',
    unregistered_redirect_uri:
      'Die Anwendung, die Sie hierher geführt hat, möchte Sie zu einer Adresse weiterleiten, die nicht für sie hinterlegt ist.',
    expired_request:
      'Das hat zu lange gedauert, oder der Link ist beschädigt. Kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
    invalid_request: 'Der Link oder das Formular, das Sie hierher geführt hat, ist beschädigt.',
    method_not_allowed: 'Diese Seite kann nicht neu geladen werden.',
    server_error: 'Der Server konnte diese Anfrage nicht bearbeiten.',
    temporarily_unavailable: 'Der Server kann gerade nicht antworten. Versuchen Sie es in ein paar Minuten erneut.',
  },
};
