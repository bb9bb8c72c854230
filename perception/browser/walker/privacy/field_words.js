// Words that pages use for fields for passwords, payment cards and one-time codes, in many languages. They are searched
// in the output of `plainWords`: lower case, without accents, words separated, a blank at either end.

/** @param {string} text e.g. `txtCardNumber` @returns {string} e.g. ` txt card number ` */
export function plainWords(text) {
  const apart = text
    .slice(0, 200)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  const plain = apart
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/ß/g, 'ss')
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i');
  return ` ${plain
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()} `;
}

/**
 * @param {string[]} latin whole words, by a plus what may be one word or two
 * @param {string[]} [other] scripts that leave no blanks between words
 */
const wordsPattern = (latin, other = []) =>
  new RegExp([`[ \\d](?:${latin.join('|').replaceAll('+', ' ?')})(?=[ \\d])`, ...other].join('|'), 'u');

export const PASSWORD_WORDS = wordsPattern(
  [
    'pass+word',
    'user+password',
    'login+password',
    'passwd',
    'pass+phrase',
    'pwd',
    'pswd',
    'psw',
    'passwort',
    'kennwort',
    'mot+de+passe',
    'motdepasse',
    'mdp',
    'contrasena',
    'clave de acceso',
    'senha',
    'parola(?! chiave)',
    'wachtwoord',
    'losenord',
    'passord',
    'adgangskode',
    'salasana',
    'haslo',
    'heslo',
    'jelszo',
    'sifre',
    'geslo',
    'lozinka',
    'slaptazodis',
    'salasona',
    'kata+sandi',
    'mat khau',
    'пароль',
    'пароля',
  ],
  [
    '密码',
    '密碼',
    '口令',
    'パスワード',
    '暗証番号',
    '비밀번호',
    '암호',
    'كلمة (?:ال)?(?:مرور|سر)',
    'סיסמ[אה]',
    'पासवर्ड',
    'รหัสผ่าน',
    'κωδικ[οό]ς προσβασης',
  ],
);

/** Words that concern a password but do not name one. */
export const ABOUT_PASSWORDS = new RegExp(
  [
    String.raw` (hints?|questions?|lengths?|emails?|e mail|search|filter|urls?|links?|polic(y|ies)|`,
    String.raw`strength|min(imum)?|max(imum)?|counts?|days|managers?|titles?|expir\w*|files?|reminders?) `,
  ].join(''),
);

export const CARD_WORDS = wordsPattern(
  [
    '(?:credit+|debit+|payment+|bank+|cc+)?card+(?:number|num|no|nr|nbr)',
    '(?:credit|debit)+card',
    'cc',
    'cc+(?:number|num|no|nr)',
    'ccn',
    'encrypted+card+number',
    '(?:kredit)?karten+(?:nummer|nr)',
    'kreditkarte',
    'numero+(?:de+)?(?:la+|votre+)?carte(?: bancaire)?',
    'n carte',
    'carte (?:bancaire|de credit)',
    'numero+(?:de+)?(?:la+)?tarjeta',
    'tarjeta de (?:credito|debito)',
    'numero+(?:do+)?cartao',
    'cartao de (?:credito|debito)',
    'numero (?:di |della )?carta',
    'carta di (?:credito|debito)',
    '(?:credit)?(?:kaart|kort)+nummer',
    '(?:luotto)?kortin+numero',
    'numer karty',
    'cislo (?:platebni )?karty',
    'kartyaszam',
    'kart+(?:numarasi|no)',
    'numarul cardului',
    'nomor+kartu',
    'so the',
    'номер карты',
    'αριθμος καρτας',
  ],
  [
    '卡号',
    '卡號',
    'カード番号',
    '카드 ?번호',
    'رقم (?:ال)?بطاقة',
    'מספר (?:ה)?כרטיס',
    'หมายเลขบัตร',
    'कार्ड (?:नंबर|संख्या)',
  ],
);

export const CVC_WORDS = wordsPattern(
  [
    'cvc',
    'cvv',
    'cvn',
    'csc',
    'cvc+code',
    'cvv+code',
    'card+(?:verification|validation|security|identification)(?: (?:code|number|value))?',
    'card+code',
    'cid+code',
    'security+code',
    'verification+value',
    '(?:karten)?pruf(?:nummer|ziffer)',
    'sicherheits+code',
    'cryptogramme(?: visuel)?',
    'code de securite',
    'codigo de seguridad',
    'codigo de seguranca',
    'codice di sicurezza',
    'beveiligingscode',
    'sakerhetskod',
    'sikkerhedskode',
    'sikkerhetskode',
    'turvakoodi',
    'kod bezpieczenstwa',
    'guvenlik kodu',
    'bezpecnostni kod',
    'код безопасности',
  ],
  ['安全码', '安全碼', 'セキュリティ ?コード', '보안 ?코드'],
);

/** Counts only next to a card's number or code: many other things expire, too. */
export const EXPIRY_WORDS = wordsPattern(
  [
    'exp',
    'expir(?:y|ation|es|ed)(?:+(?:date|month|year))?',
    'exp+(?:date|month|year|mm|yy|yyyy)',
    'mm yy',
    'mm yyyy',
    'mm aa',
    'mm jj',
    'valid+(?:thru|until|to)',
    'gultig bis',
    'ablauf(?:datum)?',
    'verfalls?datum',
    'date d expiration',
    'expiration',
    'fecha de (?:caducidad|vencimiento)',
    'vencimiento',
    'caducidad',
    'validade',
    'vencimento',
    'scadenza',
    'vervaldatum',
    'data waznosci',
    'son kullanma',
    'срок действия',
  ],
  ['有效期', '有効期限', '유효 ?기간'],
);

export const CODE_WORDS = wordsPattern(
  [
    'otp',
    'totp',
    'otp+code',
    'one+time+(?:code|password|passcode|pin)',
    '(?:verification|verify|authentication|authenticator|auth|2fa|mfa|two factor|sms|login|sign in|passcode)+code',
    '(?:two+factor|2fa|mfa|sms)+(?:token|pin)',
    'passcode',
    'mtan',
    'sms+tan',
    'tan',
    'code de (?:verification|validation)',
    'bestatigungs+code',
    'verifizierungs+code',
    'einmal+(?:code|passwort|kennwort)',
    'codigo de (?:verificacion|verificacao)',
    'codice (?:di verifica|otp)',
    'verificatie+code',
    'verifikations+kod',
    'engangs+kod',
    'engangs+kode',
    'vahvistuskoodi',
    'kod weryfikacyjny',
    'overovaci kod',
    'dogrulama kodu',
    'ma xac (?:nhan|thuc)',
    'код подтверждения',
    'код из смс',
    'одноразовый (?:код|пароль)',
  ],
  [
    '验证码',
    '驗證碼',
    '認証コード',
    '確認コード',
    'ワンタイム',
    '인증 ?(?:번호|코드)',
    'رمز التحقق',
    'קוד אימות',
    'סיסמה חד פעמית',
  ],
);

/** A PIN, and nothing that is pinned: no words other than these next to it. */
export const PIN_WORDS = new RegExp(
  [
    String.raw`^(?: (?:please|enter|type|your|the|my|a|current|old|new|confirm|repeat|again|security|`,
    String.raw`account|atm|card|debit|bank|user|login|device|phone|sim|digits?|numeric|input|field|txt|`,
    String.raw`code|number|no|of|\d+))* pin(?: (?:please|again|input|field|code|number|no|digits?|of|`,
    String.raw`\d+))* $`,
  ].join(''),
);
