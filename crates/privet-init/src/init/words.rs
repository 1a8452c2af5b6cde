//! What the name of a column says, in the languages that headers are written in.
//!
//! A name is cut into lower-case words without accents; neighbours are also tried as one word, so `date_of_birth`,
//! `dateOfBirth` and `DATEOFBIRTH` are the same. The first meaning in the list that fits is taken, so what is
//! specific stands before what is general.

use privet_data::Role;

/// What a column is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    OfficialNumber,
    Contact,
    Account,
    Device,
    PersonName,
    Address,
    BirthPlace,
    Birth,
    PostalCode,
    Coordinates,
    SexualLife,
    Health,
    Money,
    Belief,
    Crime,
    Sex,
    Age,
    Origin,
    Family,
    Work,
    Education,
    Body,
    Place,
    FreeText,
    AnyName,
    RecordNumber,
}

/// A meaning, its role, how a reason calls it, and the words that tell it.
pub(super) struct Words {
    pub(super) meaning: Meaning,
    pub(super) role: Role,
    pub(super) says: &'static str,
    /// Must be a whole word of the name, or several of them together.
    whole: &'static str,
    /// May be a part of a word.
    part: &'static str,
}

const fn words(
    meaning: Meaning,
    role: Role,
    says: &'static str,
    whole: &'static str,
    part: &'static str,
) -> Words {
    Words { meaning, role, says, whole, part }
}

/// Every meaning. English, German, French, Spanish, Italian, Portuguese, Dutch, the languages of Scandinavia, Polish,
/// Czech, Finnish, Hungarian, Russian, Chinese; more words are welcome.
pub(super) const MEANINGS: [Words; 26] = [
    words(
        Meaning::OfficialNumber,
        Role::Identifier,
        "an official number of a person",
        "ssn sin nin nino nhs bsn pesel cpf cnp dni nie nif curp rut tckn aadhaar tin svnr ahv avs insee nir cpr egn \
         jmbg oib emso hetu snils inn",
        "socialsecurity sozialversicherung versichertennummer nationalid nationalinsurance nhsnumber passport reisepass \
         ausweis pasaporte passeport passaporto driverlicen driverslicen drivinglicen fuhrerschein fuehrerschein taxid \
         steuerid steuernummer taxnumber codicefiscale fiscalcode securitesociale seguridadsocial personnummer \
         fodselsnummer henkilotunnus rodnecislo паспорт снилс 身份证 护照",
    ),
    words(
        Meaning::Contact,
        Role::Identifier,
        "a way to reach a person",
        "mail tel cel handy mobile mobil movil portable fax url homepage login user",
        "email phone telefon telefono telefoon puhelin mobilnr handynummer courriel correo website username benutzername \
         utilisateur usuario twitter facebook instagram linkedin skype телефон почта 电话 手机 邮箱",
    ),
    words(
        Meaning::Account,
        Role::Identifier,
        "an account or a card",
        "iban ccn pan konto",
        "accountnumber accountno bankaccount kontonummer kontonr creditcard cardnumber kreditkarte kartennummer \
         numerodecuenta numerodecompte policynumber policennummer",
    ),
    words(
        Meaning::Device,
        Role::Identifier,
        "a device, a vehicle or a picture of a person",
        "ip mac imei imsi vin plate kennzeichen matricula photo image foto picture bild selfie",
        "ipaddress ipaddr macaddress deviceid cookie sessionid licenseplate licenceplate numberplate immatriculation \
         fingerprint biometric retina faceid",
    ),
    words(
        Meaning::PersonName,
        Role::Identifier,
        "the name of a person",
        "fname lname fio",
        "firstname lastname surname forename fullname givenname familyname middlename maidenname nickname initials \
         vorname nachname familienname geburtsname prenom nomdefamille apellido cognome sobrenome voornaam achternaam \
         fornavn etternavn efternamn fornamn nazwisko prijmeni sukunimi etunimi vezeteknev keresztnev patientname \
         имя фамилия отчество фио 姓名",
    ),
    words(
        Meaning::Address,
        Role::Identifier,
        "where exactly a person lives",
        "addr rue calle via rua str gata utca",
        "address adresse street strasse direccion domicilio indirizzo endereco adres ulica hausnummer housenumber housenr \
         адрес улица 地址",
    ),
    words(
        Meaning::BirthPlace,
        Role::Quasi,
        "where a person was born, which others know",
        "",
        "birthplace placeofbirth countryofbirth birthcountry geburtsort geburtsland lieudenaissance paysdenaissance \
         lugardenacimiento paisdenacimiento luogodinascita nativecountry geboorteplaats 出生地",
    ),
    words(
        Meaning::Birth,
        Role::Quasi,
        "when a person was born, the best key to a person there is",
        "dob yob born birth bday",
        "birthdate dateofbirth birthday birthyear yearofbirth birthmonth geburt naissance nacimiento nascita nascimento \
         geboorte fodelse fodsel urodzenia narozeni syntyma szuletes рождения 生日 出生",
    ),
    words(
        Meaning::PostalCode,
        Role::Quasi,
        "where a person lives, which others know",
        "zip zip5 zip3 plz cp cep psc irsz npa postal",
        "zipcode postcode postalcode postleitzahl codepostal codigopostal codpostal codicepostale kodpocztowy postnummer \
         postinumero pincode почтовый 邮编 邮政编码",
    ),
    words(
        Meaning::Coordinates,
        Role::Quasi,
        "a place on the map, which may be somebody's door",
        "lat lon lng long geo gps coord coords easting northing",
        "latitude longitude breitengrad langengrad laengengrad latitud longitud geohash coordinate koordinate 纬度 经度",
    ),
    words(
        Meaning::SexualLife,
        Role::Sensitive,
        "the sexual life of a person",
        "",
        "sexualorientation sexuelleorientierung orientationsexuelle orientacionsexual sexlife sexualpartner",
    ),
    words(
        Meaning::Health,
        Role::Sensitive,
        "the health of a person",
        "condition drug drugs dose gene snp bmi hiv aids health sante salud salute drg operation finding outcome \
         blood pulse choroba lek",
        "diagnos diagnoz disease illness sickness krankheit erkrankung maladie enfermedad malattia doenca ziekte sjukdom \
         rozpoznanie icd9 icd10 icdcode symptom treatment behandlung traitement tratamiento trattamento therap \
         medication medikament medicament prescription procedure surgery allerg bloodpressure bloodgroup bloodtype \
         blutdruck blutgruppe cholesterol glucose hba1c hemoglobin cancer krebs tumor pregnan schwanger grossesse \
         embarazo disab behinder handicap discapacidad mentalhealth depress psych smok raucher fumeur fumador alcohol \
         alkohol addict genetic genotype gesundheit healthstatus labresult causeofdeath todesursache vaccin impf \
         comorbid диагноз болезнь заболевание 疾病 诊断",
    ),
    words(
        Meaning::Money,
        Role::Sensitive,
        "the money of a person",
        "pay wage wages earning earnings rente lohn lon tax taxes steuer rent miete loan cost costs cout couts price amount betrag montant importe charge \
         charges fee fees balance spend bonus debt debts wealth assets premium",
        "income salar einkommen gehalt verdienst revenu salaire ingreso sueldo reddito stipendio renda \
         inkomen dochod wynagrodzenie palkka jovedelem kosten coste costo credit kredit schulden payment expense \
         expenditure kontostand vermogen vermoegen capitalgain capitalloss pension benefit turnover umsatz \
         доход зарплата 收入 工资 薪",
    ),
    words(
        Meaning::Belief,
        Role::Sensitive,
        "what a person believes or which group they belong to",
        "party faith vote voted caste",
        "religi konfession confession belief glaube politic politik partei votingintention wahlabsicht unionmember \
         gewerkschaft syndicat sindicat weltanschauung вероисповедание религия 宗教",
    ),
    words(
        Meaning::Crime,
        Role::Sensitive,
        "crimes and punishments",
        "crime crimes arrest arrests",
        "criminal convict offence offense vorstraf straftat delito condamnation recidiv prison",
    ),
    words(
        Meaning::Sex,
        Role::Quasi,
        "sex, which everybody sees",
        "sex sexe sexo sesso genero genere kon kjonn kjoenn plec sukupuoli pohlavi nem gndr пол",
        "gender geschlecht geslacht 性别",
    ),
    words(
        Meaning::Age,
        Role::Quasi,
        "age, which everybody can guess",
        "age ages alter edad eta idade leeftijd alder wiek ika vek agegroup ageyears ageband возраст",
        "altersgruppe agegroup agerange ageatadmission trancheage 年龄",
    ),
    words(
        Meaning::Origin,
        Role::Quasi,
        "where a person comes from, which others see or know",
        "race races raza raca rasse skin tribe origin origine citizen hispanic language languages sprache langue idioma \
         lingua taal",
        "ethni etnia etnic nationality nationalitat nationalitaet nationalite nacionalidad nazionalita nacionalidade \
         nationaliteit staatsangehorigkeit staatsangehoerigkeit staatsburger staatsbuerger citizenship herkunft \
         hautfarbe skincolo mothertongue muttersprache migration immigra национальность гражданство 国籍 民族",
    ),
    words(
        Meaning::Family,
        Role::Quasi,
        "the family of a person, which neighbours know",
        "children child kids kinder hijos enfants figli filhos spouse partner dependents dependants siblings married single \
         divorced widowed wed",
        "marital marriage heirat verheiratet mariage matrimoni casamento huwelijk maritalstatus civilstatus familienstand etatcivil situationfamiliale estadocivil statocivile \
         burgerlijkestaat civilstand sivilstatus relationship household haushalt familysize numberofchildren kinderzahl \
         婚姻 семейное",
    ),
    words(
        Meaning::Work,
        Role::Quasi,
        "the work of a person, which others know",
        "job jobs work position rank branch branche sector firma company employer industry oficio",
        "occupation profession beruf workclass employment employer jobtitle tatigkeit taetigkeit metier ocupacion \
         profesion professione profissao beroep yrke zawod povolani ammatti arbeitgeber employeur empleador datoredilavoro \
         erwerb профессия должность 职业",
    ),
    words(
        Meaning::Education,
        Role::Quasi,
        "the education of a person, which others know",
        "degree major studies studium grade klasse schooling",
        "educat bildung school schule schul ecole escuela scuola abschluss diplom universit hochschul enseignement \
         niveauetude educacion istruzione opleiding utbildning utdanning wyksztalcenie vzdelani koulutus образование \
         学历 教育",
    ),
    words(
        Meaning::Body,
        Role::Quasi,
        "the body, which everybody sees",
        "height weight grosse groesse gewicht taille poids altura peso estatura",
        "bodyheight bodyweight korpergrosse koerpergroesse haircolo eyecolo haarfarbe augenfarbe",
    ),
    words(
        Meaning::Place,
        Role::Quasi,
        "a place in a person's life, which others know",
        "city town ort stadt ville commune comune stad kota miasto obec state land pays pais paese area block tract \
         ward geo location region gemeinde country nation branch site hospital clinic insee",
        "municipal municip village wohnort ciudad citta cidade kommun county district landkreis bundesland province \
         provincia departement department quartier residence wohnsitz domicile neighbourhood neighborhood countrycode \
         город страна регион область 城市 国家 地区 省",
    ),
    words(
        Meaning::FreeText,
        Role::Identifier,
        "free text, which may name anybody",
        "note notes text memo nota notas remarks info",
        "comment remark freetext freitext description beschreibung bemerkung kommentar anmerkung remarque comentario \
         observacion osservazion narrative transcript message nachricht комментарий 备注",
    ),
    words(
        Meaning::AnyName,
        Role::Identifier,
        "a name",
        "name names nom noms nombre nombres nome nomi naam navn namn imie jmeno nimi nev title",
        "名字 名称",
    ),
    words(
        Meaning::RecordNumber,
        Role::Identifier,
        "the number of a record or a person",
        "id ids uid uuid guid pk key mrn index rowid rownum serial nr lfdnr pid",
        "identifier identifiant kennung patientid patientnumber patientno personid userid custid customerid clientid \
         memberid recordid recordno caseid casenumber caseno subjectid studentid employeeid fallnummer fallnr \
         aktenzeichen patientennummer patientennr kundennummer kundennr personalnummer matrikel mitgliedsnummer \
         numeropatient numeroclient medicalrecord номер 编号",
    ),
];

/// What the name of a column says.
pub(super) fn find(name: &str) -> Option<&'static Words> {
    let words = split(name);
    let mut together: Vec<String> = Vec::new();
    for from in 0..words.len() {
        for to in from + 1..=words.len().min(from + 4) {
            together.push(words[from..to].concat());
        }
    }
    together.push(words.concat());
    MEANINGS.iter().find(|meaning| {
        let whole = |word: &str| together.iter().any(|t| t == word);
        let part = |word: &str| together.iter().any(|t| t.contains(word));
        meaning.whole.split_ascii_whitespace().any(whole) || meaning.part.split_ascii_whitespace().any(part)
    })
}

/// Whether one of these is a whole word of a name.
pub(super) fn has(name: &str, words: &[&str]) -> bool {
    split(name).iter().any(|own| words.contains(&own.as_str()))
}

/// The words of a name, in lower case and without accents.
fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_was_lower = false;
    // A header of more than 200 characters is a sentence; its beginning must do.
    for c in name.chars().take(200) {
        if !c.is_alphanumeric() || (c.is_uppercase() && before_was_lower) {
            words.push(String::new());
        }
        before_was_lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            plain(c, word);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn plain(c: char, word: &mut String) {
    for c in c.to_lowercase() {
        match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => word.push('a'),
            'ç' | 'ć' | 'č' => word.push('c'),
            'ď' | 'đ' | 'ð' => word.push('d'),
            'è'..='ë' | 'ē' | 'ę' | 'ě' => word.push('e'),
            'ğ' => word.push('g'),
            'ì'..='ï' | 'ī' | 'ı' => word.push('i'),
            'ł' => word.push('l'),
            'ñ' | 'ń' | 'ň' => word.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => word.push('o'),
            'ř' => word.push('r'),
            'ś' | 'š' | 'ş' | 'ș' => word.push('s'),
            'ß' => word.push_str("ss"),
            'ť' | 'ţ' | 'ț' => word.push('t'),
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => word.push('u'),
            'ý' | 'ÿ' => word.push('y'),
            'ź' | 'ż' | 'ž' => word.push('z'),
            'æ' => word.push_str("ae"),
            'œ' => word.push_str("oe"),
            // What is left of an accent after lower-casing, such as the dot of a Turkish capital I.
            '\u{300}'..='\u{36f}' => {}
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_plain_words() {
        assert_eq!(split("Date_of-Birth"), ["date", "of", "birth"]);
        assert_eq!(split("dateOfBirth"), ["date", "of", "birth"]);
        assert_eq!(split("PatientID"), ["patient", "id"]);
        assert_eq!(split("Größe (cm)"), ["grosse", "cm"]);
        assert_eq!(split("Prénom"), ["prenom"]);
        assert_eq!(split("  "), Vec::<String>::new());
        assert_eq!(split("年龄"), ["年龄"]);
    }

    #[test]
    fn short_words_do_not_match_inside_others() {
        for name in ["language_version_x", "wages_not"] {
            assert_ne!(find(name).map(|w| w.meaning), Some(Meaning::Age), "{name}");
        }
        assert!(find("trace").is_none());
        assert!(find("essex").is_none());
        assert!(find("grid").is_none());
        assert!(find("").is_none());
    }
}
