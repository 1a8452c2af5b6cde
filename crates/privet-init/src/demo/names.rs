//! The names of people who do not exist: three generations of first names, and surnames made of parts.

/// First names of women: born before 1960, before 1995, later; the most frequent first.
#[rustfmt::skip]
pub(super) const WOMEN: [&[&str]; 3] = [
    &[
        "Ingrid", "Gerda", "Helga", "Margit", "Edith", "Irma", "Hedwig", "Ursula", "Renate", "Elfriede", "Gisela",
        "Christa", "Waltraud", "Erika", "Hannelore", "Agnes", "Berta", "Klara", "Rosa", "Wilma", "Odile", "Yvette",
        "Simone", "Jeanne", "Colette", "Teresa", "Carmen", "Dolores", "Pilar", "Concetta", "Assunta", "Ottilie",
        "Ludmila", "Zdenka", "Halina", "Danuta", "Ilona", "Marta", "Alma", "Thea", "Astrid", "Gudrun", "Solveig",
        "Maire", "Aino", "Dorothy", "Mildred", "Norma", "Beryl", "Enid",
    ],
    &[
        "Sabine", "Petra", "Monika", "Susanne", "Andrea", "Claudia", "Anja", "Nicole", "Karin", "Birgit", "Silke",
        "Katrin", "Stefanie", "Melanie", "Sandra", "Nathalie", "Isabelle", "Sylvie", "Corinne", "Valérie", "Lucía",
        "Marta-Inés", "Cristina", "Raquel", "Paola", "Francesca", "Silvia", "Daniela", "Renata", "Joanna",
        "Agnieszka", "Katarzyna", "Zsuzsa", "Eszter", "Lenka", "Ivana", "Tanja", "Vesna", "Karen", "Linda",
        "Deborah", "Alison", "Heather", "Kirsten", "Annika", "Marja", "Pernille", "Maren", "Helena", "Judith",
    ],
    &[
        "Emma", "Mia", "Lea", "Hannah", "Sofia", "Lina", "Clara", "Ella", "Nora", "Maja", "Ida", "Frieda", "Lotte",
        "Juna", "Elif", "Zoë", "Chloé", "Manon", "Inès", "Camille", "Louane", "Alba", "Noa", "Vega", "Martina",
        "Giulia", "Aurora", "Ginevra", "Zuzanna", "Oliwia", "Tereza", "Hanna", "Dora", "Lana", "Ava", "Isla",
        "Freya", "Poppy", "Ruby", "Saga", "Elsa", "Tuva", "Liv", "Ronja", "Amira", "Yasmin", "Leyla", "Aylin",
        "Samira", "Kiara",
    ],
];

/// First names of men: born before 1960, before 1995, later; the most frequent first.
#[rustfmt::skip]
pub(super) const MEN: [&[&str]; 3] = [
    &[
        "Heinz", "Karl", "Günther", "Horst", "Werner", "Walter", "Helmut", "Gerhard", "Manfred", "Dieter",
        "Siegfried", "Ernst", "Otto", "Erwin", "Alfred", "Rudolf", "Kurt", "Egon", "Willi", "Anton", "Marcel",
        "Lucien", "Gaston", "Roger", "Émile", "Manuel", "Ramón", "Vicente", "Salvatore", "Carmelo", "Pasquale",
        "Bohumil", "Zdeněk", "Stanisław", "Kazimierz", "István", "Gyula", "Branko", "Arne", "Olav", "Gunnar",
        "Einar", "Veikko", "Toivo", "Albert", "Cyril", "Harold", "Norman", "Leonard", "Stanley",
    ],
    &[
        "Thomas", "Michael", "Andreas", "Stefan", "Frank", "Jörg", "Uwe", "Torsten", "Markus", "Matthias", "Ralf",
        "Sven", "Dirk", "Jens", "Oliver", "Christian", "Laurent", "Thierry", "Pascal", "Olivier", "Frédéric",
        "Javier", "Sergio", "Álvaro", "Rubén", "Marco", "Fabio", "Stefano", "Massimo", "Piotr", "Krzysztof",
        "Tomasz", "Zoltán", "Gábor", "Miroslav", "Petr", "Goran", "Dejan", "Kevin", "Gary", "Stuart", "Neil",
        "Craig", "Lars", "Henrik", "Mikael", "Jukka", "Øyvind", "Bjarne", "Martin",
    ],
    &[
        "Noah", "Leon", "Paul", "Ben", "Finn", "Elias", "Luca", "Jonas", "Felix", "Theo", "Emil", "Oskar",
        "Anton-Levi", "Mats", "Jannik", "Emre", "Hugo", "Louis", "Gabin", "Raphaël", "Mathis", "Mateo", "Pau",
        "Izan", "Lucas", "Leonardo", "Tommaso", "Edoardo", "Jakub", "Szymon", "Filip", "Vojtěch", "Bence",
        "Levente", "Nikola", "Vuk", "Oscar", "Archie", "Alfie", "Callum", "Liam", "Axel", "Viggo", "Elliot", "Onni",
        "Yusuf", "Karim", "Malik", "Ilyas", "Milo",
    ],
];

const STEMS: [&str; 30] = [
    "Linden", "Hall", "Berg", "Stein", "Birk", "Falk", "Eichen", "Wester", "Norden", "Rosen", "Feld", "Ahl",
    "Kron", "Silber", "Buch", "Grün", "Hag", "Winter", "Öster", "Tannen", "Adler", "Brenn", "Mühl", "Sund",
    "Wald", "Dorn", "Lager", "Kirch", "Stor", "Ulm",
];

const ENDINGS: [&str; 10] = ["mann", "qvist", "er", "ström", "bach", "hoff", "sen", "eau", "ski", "well"];

/// Three hundred surnames, the most frequent first.
pub(super) fn surnames() -> Vec<String> {
    let count = STEMS.len() * ENDINGS.len();
    // 77 has no factor in common with 300: every pair once, and neighbours that do not rhyme.
    (0..count)
        .map(|rank| rank * 77 % count)
        .map(|pair| format!("{}{}", STEMS[pair / ENDINGS.len()], ENDINGS[pair % ENDINGS.len()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn there_are_enough_names_and_none_twice() {
        for names in [WOMEN, MEN] {
            let all: Vec<&str> = names.concat();
            assert!(all.len() >= 150, "{}", all.len());
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        }
        let surnames = surnames();
        assert_eq!(surnames.len(), 300);
        assert_eq!(surnames.iter().collect::<HashSet<_>>().len(), 300);
    }
}
